import { expect, test } from 'vitest';
import { podOf } from '../../../local/functions/service.ts';

const withEnv = (value: string) => ({
  timeoutMs: 1000,
  pod: {
    apiVersion: 'v1',
    kind: 'Pod' as const,
    metadata: { name: 'f', namespace: 'tiny-system', uid: 'f' },
    spec: { containers: [{ name: 'user-container', env: [{ name: 'URL', value }] }] },
  },
});
const urlOf = (value: string) => {
  const address = ({ namespace, name }: { namespace?: string; name: string }) =>
    namespace === 'tiny-system' && name === 'session' ? 'http://127.0.0.1:4711' : undefined;
  const [container] = podOf(withEnv(value) as never, { port: 1, address }).spec.containers;
  return container?.env?.find(({ name }) => name === 'URL')?.value;
};

test('a variable that names another function by its name in the cluster gets its address', () => {
  expect(urlOf('http://session.tiny-system.svc.cluster.local')).toBe('http://127.0.0.1:4711');
  expect(urlOf('http://session.tiny-system.svc.cluster.local/x?y')).toBe('http://127.0.0.1:4711/x?y');
});

test('any other value stays as it is', () => {
  for (const value of ['http://slack.tiny-system.svc.cluster.local', 'https://session.example', '', 'a b']) {
    expect(urlOf(value)).toBe(value);
  }
});
