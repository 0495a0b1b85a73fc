/** Tells that the Session waits, and for which Question, as long as one of those that were seen is open. */
import type { Question } from '../../lib/api/question.ts';
import type { Decision } from '../../lib/question/decision.ts';
import type { StatusPatch, StatusWriter } from './status-writer.ts';

export interface Waiting {
  /** A Question was read, and this holds for it. */
  see(question: Question, decision: Decision): void;
  /** Nobody waits for it any more. */
  drop(name: string): void;
  /** The harness tells where it is; what was open is seen again if it still matters. */
  reset(): void;
}

const open = (name: string, text: string): StatusPatch => ({
  conditions: [
    { type: 'Ready', status: 'True', reason: 'Waiting', message: `waiting for the answer to Question ${name}` },
    { type: 'Waiting', status: 'True', reason: 'Question', message: `Question ${name}: ${text.slice(0, 1024)}` },
  ],
});

const closed = (name: string): StatusPatch => ({
  conditions: [
    { type: 'Ready', status: 'True', reason: 'Working', message: `going on after Question ${name}` },
    { type: 'Waiting', status: 'False', reason: 'Answered', message: `Question ${name} is no longer open` },
  ],
});

/** `log` gets what could not be told. */
export function makeWaiting(status: StatusWriter, log: (line: string) => void): Waiting {
  const seen = new Map<string, string>();
  const tell = (patch: StatusPatch) => {
    status.tell(patch).catch((error: Error) => log(`the status could not be reported: ${error.message}`));
  };
  const drop = (name: string) => {
    if (!seen.delete(name)) return;
    const [another] = seen;
    tell(another ? open(...another) : closed(name));
  };
  return {
    see({ metadata: { name }, spec: { text } }, { state }) {
      if (state !== 'open') return drop(name);
      if (seen.has(name)) return;
      seen.set(name, text);
      tell(open(name, text));
    },
    drop,
    reset: () => seen.clear(),
  };
}
