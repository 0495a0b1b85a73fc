import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { connect, kubeconfigFiles } from '../../cli/connect.ts';
import { parseEnvironment } from '../../cli/env.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiny-connect-'));
afterAll(() => rmSync(folder, { recursive: true }));

const config = join(folder, 'config');
writeFileSync(
  config,
  JSON.stringify({
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
    users: [{ name: 'u', user: { token: 't' } }],
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u', namespace: 'team' } }],
    'current-context': 'here',
  }),
);

describe('the environment', () => {
  it('holds as kubectl and the desktop conventions take it', () => {
    expect(parseEnvironment({ HOME: '/h', KUBECONFIG: '', NO_COLOR: '' })).toEqual({
      home: '/h',
      data: '/h/.local/share/tiny',
      cache: '/h/.cache/tiny',
      path: '/usr/local/bin:/usr/bin:/bin',
    });
    expect(parseEnvironment({ HOME: '/h', XDG_DATA_HOME: '/d', NO_COLOR: '1', TERM: 'dumb', KUBECONFIG: 'a' })).toEqual(
      {
        home: '/h',
        data: '/d/tiny',
        cache: '/h/.cache/tiny',
        path: '/usr/local/bin:/usr/bin:/bin',
        noColor: '1',
        term: 'dumb',
        kubeconfig: 'a',
      },
    );
  });
});

describe('the kubeconfig', () => {
  const env = parseEnvironment({ HOME: '/h' });

  it('is the flag, else $KUBECONFIG, else the usual place and then the local cluster', () => {
    expect(kubeconfigFiles({ kubeconfig: 'x' }, { ...env, kubeconfig: 'a' })).toEqual(['x']);
    expect(kubeconfigFiles({}, { ...env, kubeconfig: 'a::b' })).toEqual(['a', 'b']);
    expect(kubeconfigFiles({}, env)).toEqual(['/h/.kube/config', '/h/.local/share/tiny/kubeconfig']);
  });

  it("names the namespace where the flag doesn't", async () => {
    expect(await connect({ kubeconfig: config }, env)).toMatchObject({
      namespace: 'team',
      context: 'here',
      server: 'https://127.0.0.1:1',
    });
    expect((await connect({ kubeconfig: config, namespace: 'x' }, env)).namespace).toBe('x');
  });

  it('that is missing, or has no such context, is a failure that says what to do', async () => {
    await expect(connect({ kubeconfig: join(folder, 'none') }, env)).rejects.toMatchObject({
      exit: 1,
      hints: [expect.stringContaining('`tiny up`')],
    });
    await expect(connect({ kubeconfig: config, context: 'there' }, env)).rejects.toThrow(
      /no context there; it has: here/,
    );
  });
});
