import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { toolsClient } from '../../agent/harness/tools-client.ts';
import type { Effect, Question, QuestionSpec } from '../../lib/api/question.ts';
import { QUESTIONS } from '../../lib/kube/types.ts';
import { it } from './pod-test.ts';

const permit = (text = 'May I?'): QuestionSpec => ({
  session: 's',
  kind: 'Permit',
  text,
  options: [
    { id: 'allow', text: 'Yes', effect: 'Allow' },
    { id: 'allow-2', text: 'Yes, too', effect: 'Allow' },
    { id: 'deny', text: 'No', effect: 'Deny' },
  ],
  toolCall: { id: '1', title: 't', kind: 'execute' },
});

describe.concurrent('the harness socket', () => {
  it('answers with the code and words of the API server', async ({ makePod }) => {
    const pod = makePod({ programs: '', prompt: 'x' });
    await pod.startTools();
    const tools = toolsClient(join(pod.folder, 'run', 'harness.sock'));
    await expect(tools.question('none')).rejects.toMatchObject({ code: 404, message: expect.stringContaining('none') });
    const { toolCall: _, ...lacking } = permit();
    await expect(tools.ask('k', lacking)).rejects.toMatchObject({
      code: 422,
      message: expect.stringContaining('toolCall'),
    });
    await expect(tools.ask('k', { ...permit(), session: 'other' })).rejects.toMatchObject({ code: 422 });
    const { metadata } = await tools.ask('k', permit());
    expect(await tools.question(metadata.name)).toMatchObject({ spec: { text: 'May I?' } });
    await expect(tools.ask('k', permit('other'))).rejects.toMatchObject({ code: 409 });
  });

  const option = (id: string, effect: Effect) => ({ id, text: id, effect });
  const wrong: [name: string, spec: object][] = [
    ['words', { ...permit(), kind: 'Ask' }],
    ['a Session', { ...permit(), kind: 'Spawn', spawn: { name: 'x', spec: { prompt: 'x' } } }],
    ['a permission with a Session in it', { ...permit(), spawn: { name: 'x', spec: { prompt: 'x' } } }],
    ['a yes under the name of a no', { ...permit(), options: [option('deny', 'Allow'), option('deny-2', 'Deny')] }],
    ['a yes under another name', { ...permit(), options: [option('no', 'Allow'), option('deny', 'Deny')] }],
    ['no way to say no', { ...permit(), options: [option('allow', 'Allow'), option('deny-always', 'DenyAlways')] }],
    ['an answer', { ...permit(), answer: { option: 'allow' } }],
    ['an option that says nothing', { ...permit(), options: [{ id: 'allow', text: 'x' }, option('deny', 'Deny')] }],
  ];
  it.for(wrong)('does not ask for %s', async ([, spec], { makePod }) => {
    const pod = makePod({ programs: '', prompt: 'x' });
    await pod.startTools();
    const tools = toolsClient(join(pod.folder, 'run', 'harness.sock'));
    await expect(tools.ask('k', spec as QuestionSpec)).rejects.toMatchObject({ code: 422 });
    expect(pod.api.questions()).toEqual([]);
  });

  it('asks about a budget in its own words alone, and once', async ({ makePod }) => {
    const pod = makePod({ programs: '', prompt: 'x' });
    await pod.startTools();
    const tools = toolsClient(join(pod.folder, 'run', 'harness.sock'));
    const over = { what: 'tokens', used: 12, limit: 10 } as const;
    const [first, again] = [await tools.askBudget({ round: 0, over }), await tools.askBudget({ round: 0, over })];
    expect(first.metadata.name).toBe(again.metadata.name);
    expect(first.spec).toMatchObject({ kind: 'Ask', text: expect.stringContaining('Session s has used 12 tokens') });
    const worded = { round: 1, over: { what: 'cost', used: 'all of it', limit: '1', currency: 'USD' } as const };
    await expect(tools.askBudget(worded)).rejects.toMatchObject({ code: 422 });
    expect(pod.api.questions()).toHaveLength(1);
  });

  it('shows no Question of another Session', async ({ makePod }) => {
    const pod = makePod({ programs: '', prompt: 'x' });
    await pod.startTools();
    const tools = toolsClient(join(pod.folder, 'run', 'harness.sock'));
    const metadata = { name: 'other', namespace: 'p', ownerReferences: [] };
    const question = { apiVersion: 'tiny.dev/v1alpha1', kind: 'Question', metadata, spec: permit() } as const;
    await pod.api.client.create(QUESTIONS, question as unknown as Question);
    await expect(tools.question('other')).rejects.toMatchObject({ code: 404 });
  });

  it('keeps what was told before, also over a kill, and changes a transition time only with the status', async ({
    makePod,
  }) => {
    const pod = makePod({ programs: '', prompt: 'x' });
    await pod.startTools();
    const tools = () => toolsClient(join(pod.folder, 'run', 'harness.sock'));
    const ready = (reason: string) => ({
      conditions: [{ type: 'Ready', status: 'True' as const, reason, message: '' }],
    });
    await tools().tell({ ...ready('Working'), message: 'one' });
    const time = pod.condition('Ready')?.lastTransitionTime;
    await pod.startTools();
    await tools().tell({ ...ready('Idle'), messagesRead: 1 });
    expect(pod.api.session().status).toMatchObject({ message: 'one', messagesRead: 1 });
    expect(pod.condition('Ready')).toMatchObject({ reason: 'Idle', lastTransitionTime: time });
    const writes = pod.api.writes();
    await tools().tell(ready('Idle'));
    expect(pod.api.writes()).toBe(writes);
    expect(readFileSync(join(pod.folder, 'tools', pod.api.session().metadata.uid, 'status.json'), 'utf8')).toContain(
      'one',
    );
  });
});
