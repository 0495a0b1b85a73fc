/** Where the engine's programs are found: fake ones, which say a version. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { builtVersion } from '../../../local/engine/binaries.ts';
import { buildEngine } from '../../../local/engine/build.ts';
import { cacheFolder, type Finding, findEngine, lookForEngine } from '../../../local/engine/find.ts';

const ROOT = join(import.meta.dirname, '../../..');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tiny-find-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A folder with fake programs that say that they are of `version`. */
function programs(
  name: string,
  version: string,
  names = ['etcd', 'kube-apiserver', 'kube-controller-manager'],
): string {
  const into = join(folder, name);
  mkdirSync(into, { recursive: true });
  for (const program of names) script(join(into, program), `echo Kubernetes v${version}`);
  return into;
}
function script(file: string, text: string): void {
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o700);
}

function finding(more: Partial<Finding> = {}): Finding & { said: string[] } {
  const said: string[] = [];
  return { root: ROOT, path: '', cache: join(folder, 'cache'), say: (line) => said.push(line), said, ...more };
}

describe('the engine', () => {
  test('is that of KUBEBUILDER_ASSETS before that on the path, and that before the cache', async () => {
    const [assets, path] = [programs('assets', '1.37.1'), programs('path', '1.36.5')];
    programs(join('cache/engine', `v${builtVersion(ROOT)}`), builtVersion(ROOT));
    expect(await lookForEngine(finding({ assets, path }))).toMatchObject({ version: '1.37.1' });
    expect(await lookForEngine(finding({ path }))).toMatchObject({ version: '1.36.5', etcd: join(path, 'etcd') });
    expect(await lookForEngine(finding())).toMatchObject({ version: builtVersion(ROOT) });
  });

  test('is nothing where only one of the programs is there', async () => {
    expect(await lookForEngine(finding({ assets: programs('half', '1.37.2', ['kube-apiserver']) }))).toBeUndefined();
  });

  test('is not one too old for what tiny asks of it, and that is said', async () => {
    const asked = finding({ assets: programs('old', '1.35.9') });
    expect(await lookForEngine(asked)).toBeUndefined();
    expect(asked.said.join()).toMatch(/passed over: v1\.35\.9, and v1\.36 is needed/);
  });

  test('takes no controller manager of another version than the API server', async () => {
    const assets = programs('assets', '1.37.1', ['etcd', 'kube-apiserver']);
    script(join(assets, 'kube-controller-manager'), 'echo Kubernetes v1.37.2');
    expect(await lookForEngine(finding({ assets }))).not.toHaveProperty('controllerManager');
  });

  test('takes the controller manager of the same version from the cache', async () => {
    const version = builtVersion(ROOT);
    const assets = programs('assets', version, ['etcd', 'kube-apiserver']);
    const asked = finding({ assets });
    programs(join('cache/engine', `v${version}`), version);
    const controllerManager = join(cacheFolder(asked), 'kube-controller-manager');
    expect(await lookForEngine(asked)).toMatchObject({ etcd: join(assets, 'etcd'), controllerManager });
  });

  test('is not one that cannot be run', async () => {
    const assets = programs('assets', '1.37.2');
    script(join(assets, 'kube-apiserver'), 'exit 1');
    expect(await lookForEngine(finding({ assets }))).toBeUndefined();
  });
});

describe('building', () => {
  /** A Go that lists three packages and builds a program which says its version. */
  const goThatBuilds = `
case "$1" in
  version) echo "go version go1.26.8 linux/amd64" ;;
  list) printf 'one\\ntwo\\nthree\\n' ;;
  build) echo one >&2; echo two >&2
    echo x >> "LOG_FILE"
    while [ "$1" != -o ]; do shift; done
    printf '#!/bin/sh\\necho Kubernetes v${builtVersion(ROOT)}\\n' > "$2"; chmod +x "$2" ;;
esac`;

  /** Puts a fake Go first on this process's path, for one test. */
  async function withGo(text: string, work: (log: string) => Promise<void>): Promise<void> {
    const [bin, log] = [join(folder, 'bin'), join(folder, 'built')];
    mkdirSync(bin);
    script(join(bin, 'go'), text.replaceAll('LOG_FILE', log));
    const before = process.env['PATH'];
    process.env['PATH'] = [bin, before].join(delimiter);
    await work(log).finally(() => {
      process.env['PATH'] = before;
    });
  }

  test('makes the programs in the cache and says how far it is', () =>
    withGo(goThatBuilds, async () => {
      const asked = finding();
      expect(await findEngine(asked)).toMatchObject({ version: builtVersion(ROOT) });
      expect(asked.said).toContain('building: 2 of 3 packages');
      expect(await lookForEngine(finding())).toMatchObject({ etcd: join(cacheFolder(asked), 'etcd') });
    }));

  test('of two at once builds one alone', () =>
    withGo(goThatBuilds, async (log) => {
      const build = { module: join(ROOT, 'engine'), into: join(folder, 'cache/v1'), version: '1', say: () => {} };
      await Promise.all([buildEngine(build), buildEngine(build)]);
      expect(existsSync(join(build.into, 'kube-apiserver'))).toBe(true);
      expect(readFileSync(log, 'utf8')).toBe('x\n');
    }));

  test('leaves nothing behind where it fails, and says what Go said and what to do', () =>
    withGo('[ "$1" = version ] || { echo "no space left" >&2; exit 1; }', async () => {
      const asked = finding();
      const failed = await findEngine(asked).catch((error) => error);
      expect(failed).toMatchObject({ name: 'NoEngine', advice: expect.stringContaining('KUBEBUILDER_ASSETS') });
      expect(failed.message).toContain('no space left');
      expect(readdirSync(join(cacheFolder(asked), '..'))).toEqual(['lock']);
    }));

  test('says so where Go is not there', () =>
    withGo('exit 127', async () => {
      await expect(findEngine(finding())).rejects.toThrow(/Go is not installed/);
    }));
});
