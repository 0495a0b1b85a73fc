/** Bringing a local cluster up and down: what a person does twice, in the wrong order, or with a broken kubeconfig. */
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { listen } from '../../local/functions/port.ts';
import { Local } from './local.ts';

const local = new Local();
afterAll(() => local.end());

const BEFORE = `# mine
apiVersion: v1
kind: Config
clusters:
  - name: work
    cluster: {server: https://work.example.com} # do not touch
users:
  - name: me
    user: {token: t}
contexts:
  - name: work
    context: {cluster: work, user: me}
current-context: work
`;

test('without a cluster, each command says so and what to do', async () => {
  expect(await local.tiny('down')).toMatchObject({ code: 0, err: expect.stringContaining('No local cluster runs.') });
  const status = await local.tiny('status');
  expect(status).toMatchObject({ code: 1, out: '' });
  expect(status.err).toContain('`tiny up` starts one');
  const ls = await local.tiny('ls');
  expect(ls.code).toBe(1);
  expect(ls.err).toContain('tiny up');
});

test('a broken kubeconfig is left as it is, and nothing is started', async () => {
  const broken = 'clusters: [\n  {name: x\n';
  local.write('config', broken);
  const { code, err } = await local.tiny('up');
  expect(code).toBe(1);
  expect(err).toContain('is no kubeconfig, and is left as it is');
  expect(readFileSync(local.kubeconfig, 'utf8')).toBe(broken);
  expect(local.processes()).toEqual([]);
});

test('a port in use is said in words, and nothing is left running', async () => {
  const other = createServer();
  const port = await listen(other);
  local.write('config', BEFORE);
  const { code, err } = await local.tiny('up', '--port', String(port));
  other.close();
  expect(code).toBe(1);
  expect(err).toContain(`port ${port}`);
  expect(err).not.toContain(' at ');
  expect(local.processes()).toEqual([]);
  expect(readFileSync(local.kubeconfig, 'utf8')).toBe(BEFORE);
});

test('up twice, and at the same moment, is up once; down keeps the data, gives the kubeconfig back, and the next up has the same address', async () => {
  const both = await Promise.all([local.tiny('up'), local.tiny('up')]);
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  expect(local.processes().filter(({ argv }) => argv.includes('local/main.ts'))).toHaveLength(1);
  const { pid } = local;
  const again = await local.tiny('up', '--lose', '1');
  expect(again).toMatchObject({ code: 0, out: '' });
  expect(again.err).toContain('runs already');
  expect(local.pid).toBe(pid);
  const inside = parse(readFileSync(local.kubeconfig, 'utf8'));
  expect(inside['current-context']).toBe('tiny-local');
  expect(inside.contexts.map(({ name }: { name: string }) => name).toSorted()).toEqual([
    'tiny-local',
    'tiny-local-alice',
    'tiny-local-bob',
    'tiny-local-carol',
    'work',
  ]);
  await local.ok('new', '--agent', 'rehearsal', '--name', 'kept', '--suspend', 'hello');
  expect(await local.ok('down')).toBe('');
  const after = readFileSync(local.kubeconfig, 'utf8');
  expect(parse(after)).toMatchObject(parse(BEFORE));
  expect(after).not.toContain('tiny');
  expect(after).toContain('# do not touch');

  await local.up();
  expect(parse(readFileSync(local.kubeconfig, 'utf8')).clusters[1].cluster.server).toBe(
    inside.clusters[1].cluster.server,
  );
  expect(await local.ok('ls', '-o', 'name')).toBe('session.tiny.dev/kept\n');
});

test('a kubeconfig that breaks meanwhile keeps nobody from ending the cluster', async () => {
  local.write('config', 'no: [');
  const { code, err } = await local.tiny('down', '--wipe');
  expect(code).toBe(1);
  expect(err).toContain('is no kubeconfig');
  expect(local.processes()).toEqual([]);
  expect(existsSync(local.data)).toBe(false);
  expect(readFileSync(local.kubeconfig, 'utf8')).toBe('no: [');
  local.write('config', BEFORE);
});
