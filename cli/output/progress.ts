/**
 * One line that says what is being waited for. It shows only on a terminal, on stderr, and only once the wait is
 * longer than a second, so that quick commands and scripts never see it.
 */
import type { Output } from '../app.ts';

const DELAY = 1000;
const FRAME = 120;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/** Ends a progress line, whatever it says. */
export const CLEAR = '\r\u001b[2K';

/** Says what is waited for now, or ends the line. */
export interface Progress {
  say(text: string): void;
  end(): void;
}

const SILENT: Progress = { say() {}, end() {} };

/** Starts a progress line on `output`. Whoever starts one ends it. */
export function startProgress(output: Output, text: string): Progress {
  if (!output.isTTY) return SILENT;
  let said = text;
  let frame = 0;
  let shown = false;
  const draw = () => {
    shown = true;
    output.write(
      `${CLEAR}${FRAMES[frame++ % FRAMES.length]} ${said.slice(0, Math.max(10, (output.columns || 80) - 3))}`,
    );
  };
  let frames: NodeJS.Timeout | undefined;
  const first = setTimeout(() => {
    draw();
    frames = setInterval(draw, FRAME);
  }, DELAY);
  return {
    say(next) {
      said = next;
    },
    end() {
      clearTimeout(first);
      clearInterval(frames);
      if (shown) output.write(CLEAR);
    },
  };
}

/** Runs `work` with a progress line. */
export async function withProgress<T>(output: Output, text: string, work: () => Promise<T>): Promise<T> {
  const progress = startProgress(output, text);
  try {
    return await work();
  } finally {
    progress.end();
  }
}
