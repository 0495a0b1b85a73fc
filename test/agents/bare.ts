/** An agent started without a harness: how long it takes to load its conversation and to ask its model, which no harness can save. */
import { join } from 'node:path';
import { openConversation } from '../../agent/harness/conversation.ts';
import { launchOf } from '../../agent/harness/presets.ts';
import { systemClock } from '../../lib/kube/clock.ts';
import { DIALECT, type Spoken } from './dialect.ts';
import type { Play, Stage } from './stage.ts';
import { EVERYTHING } from './stage.ts';

const TIMES = 2;

/** Milliseconds from the start to the request, each time. */
export async function timeBare(stage: Stage, { agent, played }: { agent: Spoken; played: Play }): Promise<number[]> {
  const { pod, model } = played;
  const load = pod.api.session().status?.agentSessionId;
  const home = join(pod.folder, 'home');
  const dialect = DIALECT[agent];
  const mcp = {
    name: 'tiny',
    command: process.execPath,
    args: [join(stage.programs, 'connect.cjs'), join(pod.folder, 'run', 'mcp.sock')],
  };
  const launch = launchOf(
    { agent: dialect.agent(model.url), approvals: { allow: EVERYTHING } },
    {
      places: { node: process.execPath, programs: stage.programs, home, clone: join(pod.folder, 'work', 'repo') },
      mcp,
    },
  );
  if ('refused' in launch) throw new Error(launch.refused);
  const times: number[] = [];
  for (let time = 0; time < TIMES; time += 1) {
    const had = model.turns.length;
    const began = performance.now();
    const conversation = await openConversation({
      launch,
      cwd: join(pod.folder, 'work', 'repo'),
      env: { HOME: home, ...stage.env, ...dialect.env },
      load,
      permits: () => Promise.reject(new Error('nothing is asked')),
      clock: systemClock,
      log: () => {},
      status: () => {},
      started: () => {},
      record: () => {},
    });
    await conversation.prompt(['are you there?']);
    await conversation.end();
    const next = model.turns[had];
    if (next) times.push(next.at - began);
  }
  return times;
}
