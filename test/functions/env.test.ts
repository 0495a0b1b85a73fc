import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { environment } from '../../functions/env.ts';

const NAMES = ['PORT', 'HOST', 'KUBERNETES_SERVICE_HOST', 'KUBERNETES_SERVICE_PORT', 'TINY_CREDENTIALS', 'LOG_LEVEL'];

beforeEach(() => {
  for (const name of NAMES) vi.stubEnv(name, undefined);
});
afterEach(() => vi.unstubAllEnvs());

const given = (values: Record<string, string>) => {
  for (const [name, value] of Object.entries(values)) vi.stubEnv(name, value);
};
const HOST = { KUBERNETES_SERVICE_HOST: '10.96.0.1' };

test('what is left out is as Knative and the kubelet have it', () => {
  given(HOST);
  expect(environment()).toEqual({
    PORT: 8080,
    KUBERNETES_SERVICE_HOST: '10.96.0.1',
    KUBERNETES_SERVICE_PORT: 443,
    TINY_CREDENTIALS: '/var/run/secrets/tiny',
    TINY_CHANNELS: '/etc/tiny/channels',
    TINY_IDENTITIES: '/etc/tiny/identities',
    TINY_INTAKE: '/etc/tiny/intake',
    TINY_MAX_AGE: '24h',
    TINY_SLACK_API: 'https://slack.com/api/',
    TINY_GITHUB: '/etc/tiny/github',
    TINY_GITHUB_API: 'https://api.github.com',
    TINY_WEBHOOKS_ANYWHERE: 'false',
    LOG_LEVEL: 'info',
  });
});

test('an address to listen on may be given, and not be empty', () => {
  given({ ...HOST, HOST: '127.0.0.1' });
  expect(environment()).toMatchObject({ HOST: '127.0.0.1' });
  given({ ...HOST, HOST: '' });
  expect(environment).toThrow('unusable HOST;');
});

test('ports are numbers', () => {
  given({ ...HOST, PORT: '0', KUBERNETES_SERVICE_PORT: '6443' });
  expect(environment()).toMatchObject({ PORT: 0, KUBERNETES_SERVICE_PORT: 6443 });
});

describe('an unusable value is named by its variable and not quoted', () => {
  test.each([
    ['KUBERNETES_SERVICE_HOST', {}],
    ['KUBERNETES_SERVICE_HOST', { KUBERNETES_SERVICE_HOST: '' }],
    ['PORT', { ...HOST, PORT: 'hunter2' }],
    ['PORT', { ...HOST, PORT: '65536' }],
    ['PORT', { ...HOST, PORT: '-1' }],
    ['PORT', { ...HOST, PORT: '' }],
    ['PORT', { ...HOST, PORT: '1e3' }],
    ['KUBERNETES_SERVICE_PORT', { ...HOST, KUBERNETES_SERVICE_PORT: 'tcp://hunter2:443' }],
    ['LOG_LEVEL', { ...HOST, LOG_LEVEL: 'hunter2' }],
    ['PORT, LOG_LEVEL', { ...HOST, PORT: 'hunter2', LOG_LEVEL: 'hunter2' }],
  ])('%s of %j', (names, values) => {
    given(values as Record<string, string>);
    expect(environment).toThrow(`the environment lacks or has an unusable ${names}; a function is started by Knative`);
    expect(environment).not.toThrow('hunter2');
  });
});
