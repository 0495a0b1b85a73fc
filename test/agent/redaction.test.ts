/** Each Secret of a pod, against each thing that the tools tell the API server. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REDACTED } from '../../agent/redact.ts';
import { readSecrets } from '../../agent/secrets.ts';
import { ownSession } from '../../agent/tools/own-session.ts';
import { makeQuestions } from '../../agent/tools/questions.ts';
import { redactedQuestions, redactedStatus, redactorOf } from '../../agent/tools/redaction.ts';
import { makeStatusWriter } from '../../agent/tools/status-writer.ts';
import { sessionRequest } from '../../lib/api/session.ts';
import { pretendApi, SESSION_UID } from './pretended-api.ts';

const SECRETS = { model: 'sk-ant-0123456789', push: 'ghp_ABCDEFGHIJ', token: 'eyJhbGciOi.eyJzdWIi.c2ln' };
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'redaction-'));
  // As the kubelet lays a Secret's files out.
  mkdirSync(join(folder, '0', '..2026'), { recursive: true });
  symlinkSync('..2026', join(folder, '0', '..data'));
  writeFileSync(join(folder, '0', '..2026', 'ANTHROPIC_API_KEY'), `${SECRETS.model}\n`);
  symlinkSync('..data/ANTHROPIC_API_KEY', join(folder, '0', 'ANTHROPIC_API_KEY'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the values of mounted Secrets', () => {
  it('are read once from the files that the kubelet links to, in all folders', () => {
    expect(readSecrets(folder)).toEqual([`${SECRETS.model}\n`]);
    expect(readSecrets(undefined)).toEqual([]);
  });
});

describe.each(Object.entries(SECRETS))('the value of the %s', (_name, value) => {
  const set = () => {
    const api = pretendApi('s', { prompt: 'x', agent: { name: 'rehearsal' } });
    const identity = { namespace: 'p', session: 's', sessionUid: SESSION_UID, run: '', state: '' };
    const now = () => new Date(0);
    const session = ownSession(api.client, identity);
    const redact = redactorOf([...readSecrets(folder), SECRETS.push], () => [SECRETS.token]);
    const file = join(folder, 'told', value, 'status.json');
    const status = redactedStatus(makeStatusWriter({ client: api.client, session, file, now }), redact);
    const questions = redactedQuestions(makeQuestions({ client: api.client, identity, session, now }), redact);
    return { api, status, questions };
  };

  it('is in no field of the status', async () => {
    const { api, status } = set();
    const text = `the key is ${value}.`;
    await status.tell({
      message: text,
      agentSessionId: value,
      conditions: [{ type: 'Finished', status: 'True', reason: 'Failed', message: text }],
      result: { summary: text, branch: value },
    });
    expect(JSON.stringify(api.session())).not.toContain(value);
    expect(api.session().status?.message).toBe(`the key is ${REDACTED}.`);
  });

  it('is in no Question, neither its words, its options nor the call that it shows', async () => {
    const { api, questions } = set();
    const base64 = Buffer.from(`x:${value}`).toString('base64');
    await questions.ask('k', {
      session: 's',
      kind: 'Permit',
      text: `May I use ${value}?`,
      options: [
        { id: 'allow', text: value, effect: 'Allow' },
        { id: 'deny', text: 'No', effect: 'Deny' },
      ],
      toolCall: {
        id: '1',
        title: `curl -u ${value}`,
        kind: 'execute',
        input: JSON.stringify({ command: `curl -H 'authorization: Basic ${base64}' ${value}` }),
        diff: `+${value}`,
      },
    });
    const stored = JSON.stringify(api.questions());
    expect(stored).not.toContain(value);
    expect(stored).not.toContain(base64);
  });

  it('is in no proposal, which is refused rather than mended', async () => {
    const { api, questions } = set();
    const spec = sessionRequest.parse({ prompt: `use ${value}` });
    const asked = questions.ask('k', {
      session: 's',
      kind: 'Spawn',
      text: 'May I?',
      options: [
        { id: 'allow', text: 'Yes', effect: 'Allow' },
        { id: 'deny', text: 'No', effect: 'Deny' },
      ],
      spawn: { name: 'x', spec },
    });
    await expect(asked).rejects.toThrow('name the Secret instead');
    expect(api.questions()).toEqual([]);
  });

  it('is asked about as the same Question however often', async () => {
    const { api, questions } = set();
    const ask = () => questions.ask('k', { session: 's', kind: 'Ask', text: `Is ${value} right?` });
    expect((await ask()).metadata.name).toBe((await ask()).metadata.name);
    expect(api.questions()).toHaveLength(1);
  });
});

it('a token that was renewed is known from then on', () => {
  let token = 'old-token-0123';
  const redact = redactorOf([], () => [token]);
  expect(redact()('old-token-0123')).toBe(REDACTED);
  token = 'new-token-0123';
  expect(redact()('new-token-0123')).toBe(REDACTED);
});
