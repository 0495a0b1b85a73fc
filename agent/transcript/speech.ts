/** What the agent says, piece by piece: a message is one entry, or several where it is long or long in coming. */
import type { Draft } from '../../lib/api/transcript.ts';
import { cut } from '../cut.ts';
import { makeStreamRedactor, type StreamRedactor } from '../redact.ts';

type Kind = 'message' | 'thought';

/** A message of more characters is told in pieces. */
const PIECE = 8192;

interface Message {
  type: Kind;
  redactor: StreamRedactor;
  held: string;
  begun: boolean;
}

export interface Speech {
  say(type: Kind, text: string): void;
  /** Tells what is held back; the message goes on. */
  flush(): void;
  /** Tells what is held back; the message is over. */
  end(): void;
  readonly isHolding: boolean;
}

/** Hands entries to `tell`; a secret that two pieces part is found all the same. */
export function makeSpeech(tell: (draft: Draft) => void, secrets: readonly string[]): Speech {
  let message: Message | undefined;
  const tellHeld = (one: Message, least: number) => {
    while (one.held.length > 0 && one.held.length >= least) {
      const piece = cut(one.held, PIECE) || one.held;
      one.held = one.held.slice(piece.length);
      tell({ type: one.type, text: piece.toWellFormed(), ...(one.begun && { continues: true as const }) });
      one.begun = true;
    }
  };
  const end = () => {
    if (!message) return;
    message.held += message.redactor.end();
    tellHeld(message, 1);
    message = undefined;
  };
  return {
    get isHolding() {
      return (message?.held ?? '') !== '';
    },
    say(type, text) {
      if (message?.type !== type) end();
      message ??= { type, redactor: makeStreamRedactor(secrets), held: '', begun: false };
      message.held += message.redactor.push(text);
      tellHeld(message, PIECE);
    },
    flush: () => message && tellHeld(message, 1),
    end,
  };
}
