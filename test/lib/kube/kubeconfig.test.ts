import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { makeClient } from '../../../lib/kube/client.ts';
import { loadKubeconfig } from '../../../lib/kube/kubeconfig.ts';
import { answer, CERTIFICATE, KEY, startServer } from './fake.ts';

/** Writes kubeconfigs into one folder. */
function kubeconfigs(...contents: unknown[]) {
  const folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return contents.map((content, i) => {
    const path = join(folder, `config-${i}`);
    writeFileSync(path, typeof content === 'string' ? content : stringify(content));
    return path;
  });
}

interface Config {
  cluster?: object;
  user?: object;
  context?: object;
  name?: string;
}

const config = ({ cluster = {}, user = {}, context = {}, name = 'dev' }: Config = {}) => ({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name, cluster: { server: `https://${name}.test`, ...cluster } }],
  users: [{ name, user }],
  contexts: [{ name, context: { cluster: name, user: name, ...context } }],
  'current-context': name,
});

const load = (files: string[], context?: string) => loadKubeconfig({ files, context, now: () => 0 });

test('a context gives server, user, namespace and TLS settings; data holds over files', () => {
  const cluster = {
    'certificate-authority-data': CERTIFICATE.toString('base64'),
    'certificate-authority': '/nowhere',
    'tls-server-name': 'api.test',
    'insecure-skip-tls-verify': true,
  };
  const loaded = load(kubeconfigs(config({ cluster, user: { token: 't' }, context: { namespace: 'team' } })));
  expect(loaded).toMatchObject({ context: 'dev', user: 'dev', namespace: 'team' });
  expect(loaded.config).toMatchObject({
    server: 'https://dev.test',
    ca: CERTIFICATE,
    tlsServerName: 'api.test',
    insecureSkipTlsVerify: true,
    auth: { token: 't' },
  });
});

test('paths are relative to the file they stand in', () => {
  const user = { 'client-certificate': 'cert.pem', 'client-key': 'key.pem' };
  const [path = ''] = kubeconfigs(config({ user }));
  writeFileSync(join(dirname(path), 'cert.pem'), CERTIFICATE);
  writeFileSync(join(dirname(path), 'key.pem'), KEY);
  expect(load([path])).toMatchObject({
    config: { auth: { certificate: CERTIFICATE, key: KEY } },
    namespace: 'default',
  });
});

test("of several files the first one's entries and current context hold; absent files are passed over", () => {
  const files = kubeconfigs(
    config({ name: 'a', user: { token: 'first' } }),
    'users: null\n',
    '',
    { ...config({ name: 'a', user: { token: 'second' } }), 'current-context': 'b' },
    config({ name: 'b', user: { token: 'third' } }),
  );
  expect(load(['/nowhere/config', ...files]).config.auth).toEqual({ token: 'first' });
  expect(load(files, 'b')).toMatchObject({
    context: 'b',
    config: { server: 'https://b.test', auth: { token: 'third' } },
  });
});

test.each<[string, unknown, string | undefined, string]>([
  ['no file', undefined, undefined, 'there is no kubeconfig at /nowhere'],
  ['no YAML', 'a: [', undefined, "can't read the kubeconfig"],
  ['an unknown context', config(), 'prod', 'no context prod; it has: dev'],
  ['no current context', { ...config(), 'current-context': '' }, undefined, 'no current context'],
  ['an unknown user', config({ context: { user: 'eve' } }), undefined, 'names the user eve, who is not there'],
  ['an unknown cluster', config({ context: { cluster: 'x' } }), undefined, 'names the cluster x, which is not there'],
  ['a proxy that cannot be used', config({ cluster: { 'proxy-url': 'socks5://p' } }), undefined, 'only http and https'],
])('%s is refused with what is wrong', (...[, content, context, message]) => {
  const files = content === undefined ? ['/nowhere'] : kubeconfigs(content);
  expect(() => load(files, context)).toThrow(message);
});

test('`as` of a user impersonates, groups included', async () => {
  const { url, seen } = await startServer((_, response) => answer(response, {}));
  const user = { token: 't', as: 'alice', 'as-groups': ['a', 'b'], 'as-user-extra': { 'example.org/x': ['1'] } };
  const loaded = load(kubeconfigs(config({ cluster: { server: url }, user })));
  await makeClient({ ...loaded.config, fieldManager: 'x' }).request('GET', '/version');
  expect(seen[0]?.headers.filter(([name]) => name.startsWith('impersonate-'))).toEqual([
    ['impersonate-user', 'alice'],
    ['impersonate-group', 'a'],
    ['impersonate-group', 'b'],
    ['impersonate-extra-example.org%2fx', '1'],
  ]);
});

const plugin = (script: string) => ({
  exec: { apiVersion: 'client.authentication.k8s.io/v1', command: process.execPath, args: ['-e', script], env: null },
});

test('an exec plugin gives the token', async () => {
  const credential = { kind: 'ExecCredential', status: { token: 'from-plugin' } };
  const user = plugin(`console.log(${JSON.stringify(JSON.stringify(credential))})`);
  const { url, seen } = await startServer((_, response) => answer(response, {}));
  const loaded = load(kubeconfigs(config({ cluster: { server: url }, user })));
  await makeClient({ ...loaded.config, fieldManager: 'x' }).request('GET', '/version');
  expect(new Map(seen[0]?.headers).get('authorization')).toBe('Bearer from-plugin');
});

test('an exec plugin that fails is named, with its words', async () => {
  const user = plugin('console.error("please log in"); process.exit(1)');
  const loaded = load(kubeconfigs(config({ user })));
  const request = makeClient({ ...loaded.config, fieldManager: 'x' }).request('GET', '/version');
  await expect(request).rejects.toThrow(
    /credential plugin .*node.* of the kubeconfig's user dev failed: please log in/,
  );
});
