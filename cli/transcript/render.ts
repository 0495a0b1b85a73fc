/**
 * Renders a transcript entry by entry, as it comes. A message's last line waits for its end, since it may go on; a
 * call's line stays open for its result. Pure but for what it has seen.
 */
import type { Entry, UnknownEntry } from '../../lib/api/transcript.ts';
import { callDetails, callTitle, resultDetails, resultWords } from './calls.ts';
import { entryLines } from './entries.ts';
import { makeMarkdown } from './markdown.ts';
import { MARK, marked, plural, type Telling } from './marks.ts';

export interface Renderer {
  /** What is to be printed now. */
  add(entry: Entry | UnknownEntry): string;
  /** A line that is no entry: what else the container printed. */
  line(text: string): string;
  /** What was held back. */
  end(): string;
}

type Spoken = Extract<Entry, { type: 'message' | 'thought' }>;

interface State {
  /** What is spoken, as far as it is not printed. */
  speech?: { type: Spoken['type']; text: string; characters: number; paint: (line: string) => string };
  /** The call whose line is not ended. */
  open?: string;
  lastSeq?: number;
}

const joined = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** A renderer that has seen nothing yet. */
export function makeRenderer(telling: Telling): Renderer {
  const state: State = {};
  const closed = () => endSpeech(state, telling) + endCall(state);
  return {
    add(entry) {
      const gap = gapBefore(state, entry.seq);
      const before = gap && closed() + joined(entryLines(asNote(gap, entry), telling));
      return before + (entry.type === 'unknown' ? '' : render(entry, state, telling));
    },
    line: (text) => closed() + joined(marked(text, MARK.note, telling)),
    end: closed,
  };
}

const asNote = (text: string, { v, seq, at }: Entry | UnknownEntry): Entry => ({ v, seq, at, type: 'note', text });

function gapBefore(state: State, seq: number): string {
  const { lastSeq } = state;
  state.lastSeq = seq;
  if (lastSeq === undefined || seq <= lastSeq + 1) return '';
  return `${plural(seq - lastSeq - 1, 'entry').replace('entrys', 'entries')} of the transcript no longer there`;
}

function render(entry: Entry, state: State, telling: Telling): string {
  if (entry.type === 'message' || entry.type === 'thought') return endCall(state) + speak(entry, state, telling);
  const before = endSpeech(state, telling);
  if (entry.type === 'call') return before + endCall(state) + call(entry, state, telling);
  if (entry.type === 'result') return before + result(entry, state, telling);
  return before + endCall(state) + joined(entryLines(entry, telling));
}

function speak(entry: Spoken, state: State, telling: Telling): string {
  const { speech } = state;
  if (entry.continues && speech?.type === entry.type) return speakOn(speech, entry.text, telling);
  const before = endSpeech(state, telling) + (entry.type === 'message' ? '\n' : '');
  state.speech = { type: entry.type, text: '', characters: 0, paint: makeMarkdown(telling.style) };
  return before + speakOn(state.speech, entry.text, telling);
}

/** The lines of it that are whole; a thought waits for its end, and where it is folded only its length is kept. */
function speakOn(speech: NonNullable<State['speech']>, text: string, telling: Telling): string {
  speech.characters += text.length;
  if (speech.type === 'thought') {
    if (telling.full) speech.text += text;
    return '';
  }
  const all = speech.text + text;
  const at = all.lastIndexOf('\n') + 1;
  speech.text = all.slice(at);
  return at > 0 ? words(all.slice(0, at), speech.paint, telling) : '';
}

const words = (text: string, paint: (line: string) => string, telling: Telling): string =>
  joined(
    text
      .replace(/\n$/, '')
      .split('\n')
      .flatMap((line) => marked(line, MARK.agent, telling).map(paint)),
  );

function endSpeech(state: State, telling: Telling): string {
  const { speech } = state;
  delete state.speech;
  if (!speech) return '';
  if (speech.type === 'message') return speech.text && words(speech.text, speech.paint, telling);
  const head = telling.style.dim(`${MARK.note}thought (${plural(speech.characters, 'character')})`);
  return joined([head, ...(telling.full ? marked(speech.text, MARK.inside, telling) : [])]);
}

function endCall(state: State): string {
  const isOpen = state.open !== undefined;
  delete state.open;
  return isOpen ? '\n' : '';
}

function call(entry: Extract<Entry, { type: 'call' }>, state: State, telling: Telling): string {
  const line = MARK.call + callTitle(entry);
  const details = callDetails(entry, telling);
  if (details.length) return joined([line, ...details]);
  state.open = entry.id;
  return line;
}

function result(entry: Extract<Entry, { type: 'result' }>, state: State, telling: Telling): string {
  const isOpen = state.open === entry.id;
  const before = isOpen ? '' : endCall(state) + MARK.call + callTitle({ ...entry, kind: '' });
  delete state.open;
  return `${before} … ${resultWords(entry, telling.style)}\n${joined(resultDetails(entry, telling))}`;
}
