/** A plan as a person reads it, before anything is done. Pure. */
import type { Plan } from '../../lib/plan.ts';
import { named } from '../../lib/question/apply-manifest.ts';
import { safeLine } from '../output/safe.ts';

type Line = [what: string, which: string];

/** What would be done to objects, and as whom. */
const deeds = ({ actor, ensure, remove, apply }: Plan): Line[] => [
  ...(actor && (ensure.length + remove.length || apply) ? [['act as', actor.username] as Line] : []),
  ...ensure.map(
    ({ type, object, mode, known }): Line => [known ? mode : 'create', `${type.kind}/${object.metadata.name}`],
  ),
  ...remove.map(({ type, ref }): Line => ['delete', `${type.kind}/${ref.name}`]),
  ...(apply?.proposal.objects ?? []).map((one): Line => ['apply', `${named(one)}, if it changes what was shown`]),
];

/** What would be told. */
const reports = ({ refusal, report }: Plan): Line[] => [
  ...(refusal ? [['refuse', `${refusal.reason}: ${refusal.message}`] as Line] : []),
  ...(report?.conditions ?? []).map(({ type, status, reason }): Line => ['report', `${type}=${status} (${reason})`]),
];

/** Line by line what would be done, as whom, and told. */
export function planText(plan: Plan): string {
  const lines = [...deeds(plan), ...reports(plan)];
  if (!lines.length) return 'nothing to do: the object is as it should be\n';
  return lines.map(([what, which]) => `${what.padEnd(9)}${safeLine(which)}\n`).join('');
}
