import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Audited, auditEvent, openAudit } from '../../../local/auth/audit.ts';

const dir = mkdtempSync(join(tmpdir(), 'audit-'));
afterAll(() => rmSync(dir, { recursive: true }));

const audited = (resource: string, over: Partial<Audited> = {}): Audited => ({
  attributes: {
    verb: 'create',
    group: '',
    version: 'v1',
    resource,
    subresource: '',
    namespace: 'demo',
    name: '',
    path: '',
  },
  user: { username: 'fn' },
  requestURI: `/api/v1/namespaces/demo/${resource}`,
  sourceIPs: ['127.0.0.1'],
  received: new Date('2026-01-02T03:04:05.678Z'),
  answered: new Date('2026-01-02T03:04:05.700Z'),
  code: 201,
  request: { kind: 'Secret', metadata: { name: 'a' }, data: { key: 'aHVzaA==' } },
  response: {
    kind: 'Secret',
    metadata: { name: 'a', uid: 'u', resourceVersion: '7' },
    data: { key: 'aHVzaA==' },
  },
  ...over,
});

test('an event names who acted, as whom, and what came of it', () => {
  const impersonated = { username: 'alice', groups: ['dev'] };
  const event = auditEvent(
    audited('configmaps', { impersonated, constraint: 'impersonate:user-info', userAgent: 'x/1' }),
  );
  expect(event).toMatchObject({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    stage: 'ResponseComplete',
    verb: 'create',
    user: { username: 'fn' },
    impersonatedUser: impersonated,
    authenticationMetadata: { impersonationConstraint: 'impersonate:user-info' },
    userAgent: 'x/1',
    objectRef: {
      resource: 'configmaps',
      namespace: 'demo',
      name: 'a',
      uid: 'u',
      apiVersion: 'v1',
      resourceVersion: '7',
    },
    responseStatus: { metadata: {}, code: 201 },
    requestReceivedTimestamp: '2026-01-02T03:04:05.678000Z',
  });
});

test('no content is kept', () => {
  expect(JSON.stringify(auditEvent(audited('secrets')))).not.toContain('aHVzaA==');
});

test('of a token nothing is kept but that it was asked for', () => {
  const given = audited('serviceaccounts', { response: { kind: 'TokenRequest', status: { token: 'hush' } } });
  const event = auditEvent({ ...given, attributes: { ...given.attributes, subresource: 'token', name: 'bot' } });
  expect(event.objectRef).toMatchObject({ resource: 'serviceaccounts', subresource: 'token', name: 'bot' });
  expect(JSON.stringify(event)).not.toContain('hush');
});

test('a refusal is told with its reason', () => {
  const response = {
    kind: 'Status',
    status: 'Failure',
    message: 'no',
    reason: 'Forbidden',
    details: { name: 'a' },
  };
  const event = auditEvent(audited('pods', { code: 403, response }));
  expect(event.responseStatus).toEqual({
    metadata: {},
    status: 'Failure',
    message: 'no',
    reason: 'Forbidden',
    details: { name: 'a' },
    code: 403,
  });
});

test('a line that a kill tore spoils no other', () => {
  const file = join(dir, 'torn.log');
  appendFileSync(file, '{"verb":"get"}\n{"ver');
  const log = openAudit(file);
  log.write({ verb: 'list' });
  log.close();
  expect(readFileSync(file, 'utf8').split('\n')).toEqual(['{"verb":"get"}', '{"ver', '{"verb":"list"}', '']);
});

test('the log is bounded: what is older than one full file is gone', () => {
  const file = join(dir, 'full.log');
  const log = openAudit(file, 100);
  for (let n = 0; n < 50; n++) log.write({ n, pad: 'x'.repeat(20) });
  log.close();
  const [now, before] = [file, `${file}.1`].map((each) => readFileSync(each, 'utf8'));
  expect((now?.length ?? 0) + (before?.length ?? 0)).toBeLessThan(300);
  expect(`${before}${now}`).toContain('"n":49');
  expect(existsSync(`${file}.2`)).toBe(false);
});
