import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { toolsClient } from '../../agent/harness/tools-client.ts';
import { it } from './pod-test.ts';

describe.concurrent('the harness socket', () => {
  it('answers with the code and words of the API server', async ({ makePod }) => {
    const pod = makePod({ programs: '', prompt: 'x' });
    await pod.startTools();
    const tools = toolsClient(join(pod.folder, 'run', 'harness.sock'));
    await expect(tools.question('none')).rejects.toMatchObject({ code: 404, message: expect.stringContaining('none') });
    const permit = { session: 's', kind: 'Permit', text: 'x' } as const;
    await expect(tools.ask('k', permit)).rejects.toMatchObject({
      code: 422,
      message: expect.stringContaining('toolCall'),
    });
    await expect(tools.ask('k', { session: 'other', kind: 'Ask', text: 'x' })).rejects.toMatchObject({ code: 422 });
    await tools.ask('k', { session: 's', kind: 'Ask', text: 'x' });
    await expect(tools.ask('k', { session: 's', kind: 'Ask', text: 'y' })).rejects.toMatchObject({ code: 409 });
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
