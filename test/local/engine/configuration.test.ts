/** What the engine's programs are told. */
import { expect, test } from 'vitest';
import { apiServerArguments, controllerManagerArguments, etcdArguments } from '../../../local/engine/arguments.ts';
import { tokenFile } from '../../../local/engine/configuration.ts';
import { knativeKinds } from '../../../local/engine/knative-kinds.ts';

test('etcd, which has no users, listens on no port', () => {
  const listening = etcdArguments({}).filter((argument) => argument.includes('listen'));
  expect(listening.length).toBe(2);
  for (const argument of listening) expect(argument).toMatch(/=unix:\/\//);
});

test('etcd waits for the disk unless it may lose data', () => {
  expect(etcdArguments({}).join()).not.toContain('fsync');
  expect(etcdArguments({ unsafe: true })).toContain('--unsafe-no-fsync');
});

test('the API server listens on loopback alone', () => {
  expect(apiServerArguments(1, 'audit.log', {})).toContain('--bind-address=127.0.0.1');
});

test('an older version and features reach the server and its controllers', () => {
  const variant = { emulatedVersion: '1.35', featureGates: { A: true, B: false }, serverArguments: ['--x'] };
  const server = apiServerArguments(1, 'audit.log', variant);
  expect(server).toEqual(expect.arrayContaining(['--emulated-version=1.35', '--feature-gates=A=true,B=false', '--x']));
  const controllers = controllerManagerArguments(variant);
  expect(controllers).toContain('--emulated-version=1.35');
  expect(controllers).not.toContain('--x');
});

test('a name with a quote or a comma stays one name in the token file', () => {
  const people = new Map([['t', { username: 'a"b,c', groups: ['one', 'system:authenticated', 'two'] }]]);
  expect(tokenFile(people)).toBe('"t","a""b,c","","one,two"');
});

test('the kinds of Knative say that they are stand-ins', () => {
  const names = knativeKinds().map(({ metadata }) => metadata.name);
  expect(names).toContain('services.serving.knative.dev');
  for (const { metadata } of knativeKinds()) expect(metadata.annotations).toEqual({ 'tiny.dev/stand-in': 'true' });
});
