/** How a command ends other than well: what happened, what to do, and which exit code. */

export const EXIT = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/** A command failed, exit 1. The message says what happened to which object and why; `hints` say what to do. */
export class Failure extends Error {
  override name = 'Failure';
  readonly exit: number = EXIT.failed;
  readonly hints: readonly string[];

  constructor(message: string, ...hints: string[]) {
    super(message);
    this.hints = hints.filter(Boolean);
  }
}

/** The command was called wrongly and has done nothing, exit 2. */
export class UsageError extends Failure {
  override name = 'UsageError';
  override readonly exit = EXIT.usage;
}
