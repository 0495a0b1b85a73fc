/** The tools `set_status` and `list_sessions`: what the agent says about itself, and who else works in the project. */
import { z } from 'zod';
import { findCondition } from '../../lib/api/conditions.ts';
import type { Session } from '../../lib/api/session.ts';
import { type Client, SESSIONS } from '../../lib/kube/types.ts';
import type { StatusWriter } from './status-writer.ts';

export const setStatusInput = {
  text: z
    .string()
    .min(1, 'say what you are doing')
    .max(1024, 'shorten the line to 1024 characters')
    .describe('One line about what you are doing now, for the people who watch.'),
};

/** Sets the Session's line. */
export async function setStatus(status: StatusWriter, { text }: { text: string }): Promise<string> {
  await status.tell({ message: text });
  return 'The status line is set.';
}

/** The project's Sessions as JSON. */
export async function listSessions(client: Client, namespace: string): Promise<string> {
  const { items } = await client.list<Session>(SESSIONS, { namespace });
  const lines = items.map((session) => ({
    name: session.metadata.name,
    ready: findCondition(session, 'Ready')?.reason ?? 'Unknown',
    message: session.status?.message ?? '',
    ...(session.spec.parent !== undefined && { parent: session.spec.parent }),
  }));
  return JSON.stringify(lines, null, 2);
}
