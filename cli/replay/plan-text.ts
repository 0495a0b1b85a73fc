/** A plan as a person reads it, before anything is done. Pure. */
import type { Plan } from '../../lib/plan.ts';
import { safeLine } from '../output/safe.ts';

/** Line by line what would be done, as whom, and told. */
export function planText({ actor, ensure, remove, refusal, report }: Plan): string {
  const lines = [
    ...(refusal ? [`refuse   ${refusal.reason}: ${refusal.message}`] : []),
    ...(actor && (ensure.length || remove.length) ? [`act as   ${actor.username}`] : []),
    ...ensure.map(
      ({ type, object, mode, known }) => `${known ? mode : 'create'}   ${type.kind}/${object.metadata.name}`,
    ),
    ...remove.map(({ type, ref }) => `delete   ${type.kind}/${ref.name}`),
    ...(report?.conditions ?? []).map(({ type, status, reason }) => `report   ${type}=${status} (${reason})`),
  ];
  return `${(lines.length ? lines : ['nothing to do: the object is as it should be']).map(safeLine).join('\n')}\n`;
}
