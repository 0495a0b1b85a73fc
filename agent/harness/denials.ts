/**
 * What was denied in a turn. Some agents (Codex) end their turn at a no and wait for their user: nobody is there to say more,
 * and a turn that was ended by a no must not count as done. So such an agent is told what was denied, and goes on.
 */
import type * as acp from '@agentclientprotocol/sdk';
import { cut } from '../cut.ts';
import type { Permits } from './permits.ts';

/** How what such an agent is told begins; it is no word of the Session's user. */
export const DENIED = 'This was denied, and was not done:';

const GO_ON =
  'Do not do it in another way. Go on with what can be done without it; if nothing can, end your turn and say what is left undone and why.';

/** What an agent is told of `denied`, titles of tool calls. */
export const denialText = (denied: readonly string[]): string =>
  `${DENIED}\n${denied.map((title) => `- ${cut(title, 1024)}`).join('\n')}\n${GO_ON}`;

export interface Denials {
  permits: Permits;
  /** The titles of what was denied since this was asked last. */
  take(): string[];
}

/** Notes what `permits` denies. */
export function noteDenials(permits: Permits): Denials {
  let denied: string[] = [];
  return {
    permits: async (request, known, signal) => {
      const answer = await permits(request, known, signal);
      if (isNo(request, answer)) denied.push(request.toolCall.title ?? known?.title ?? 'a tool call');
      return answer;
    },
    take() {
      const taken = denied;
      denied = [];
      return taken;
    },
  };
}

function isNo({ options }: acp.RequestPermissionRequest, { outcome }: acp.RequestPermissionResponse): boolean {
  if (outcome.outcome !== 'selected') return true;
  const chosen = options.find(({ optionId }) => optionId === outcome.optionId);
  return !chosen?.kind.startsWith('allow');
}
