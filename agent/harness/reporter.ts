/**
 * Tells the Session's status in order and without holding up the work: what comes while a report is on its way is
 * merged into the next one, and a report that found no answer is tried again. Few reports matter, because each is a
 * write to the API server and an event to a function.
 */
import type { Clock } from '../../lib/kube/clock.ts';
import { persistently, type StatusPatch, type TellCondition, type ToolsClient } from './tools-client.ts';

export interface Reporter {
  /** Goes out with what is told next: a report of its own would be one more event. */
  note(patch: StatusPatch): void;
  tell(patch: StatusPatch): void;
  /** Resolves when all that was told has arrived or was refused. */
  flush(): Promise<void>;
}

/** Conditions are merged by type, everything else by field. Pure. */
export function mergePatch(before: StatusPatch, after: StatusPatch): StatusPatch {
  const byType = new Map<string, TellCondition>();
  for (const one of [...(before.conditions ?? []), ...(after.conditions ?? [])]) byType.set(one.type, one);
  const conditions = [...byType.values()];
  return { ...before, ...after, ...(conditions.length > 0 && { conditions }) };
}

/** A reporter over `tools`; `signal` gives up what could not be told yet; `log` gets refusals. */
export function makeReporter(
  tools: ToolsClient,
  wait: { clock: Clock; signal: AbortSignal },
  log: (line: string) => void,
): Reporter {
  let pending: StatusPatch | undefined;
  let running: Promise<void> | undefined;
  const deliver = async (): Promise<void> => {
    let unsent: StatusPatch = {};
    await persistently(async () => {
      unsent = mergePatch(unsent, pending ?? {});
      pending = undefined;
      await tools.tell(unsent);
    }, wait);
  };
  const work = async (): Promise<void> => {
    // What is told in one breath is one report.
    await Promise.resolve();
    while (pending && !wait.signal.aborted) {
      await deliver().catch((error: Error) => log(`the status could not be reported: ${error.message}`));
    }
    running = undefined;
  };
  const note = (patch: StatusPatch): void => {
    pending = mergePatch(pending ?? {}, patch);
  };
  return {
    note,
    tell(patch) {
      note(patch);
      running ??= work();
    },
    flush: async () => running,
  };
}
