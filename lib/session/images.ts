/** Takes the images of Sessions' pods from where an installation keeps them: over a plan, which knows only their names. Pure. */
import type { Session } from '../api/session.ts';
import { withRegistry } from '../install/images.ts';
import { DEPLOYMENTS } from '../kube/types.ts';
import { type Ensure, NOTHING, type Plan, type Reading, type Reconciler } from '../plan.ts';

const fitted =
  (registry: string) =>
  (child: Ensure): Ensure =>
    child.type === DEPLOYMENTS ? { ...child, object: withRegistry(child.object, registry) } : child;

/** The plan with tiny's own images from `registry`, after whatever it reads first, too. */
function planFrom(plan: Plan, registry: string): Plan {
  const { reading, ensure, withheld } = plan;
  const later: Reading['plan'] = (found) => planFrom(reading?.plan(found) ?? NOTHING, registry);
  return {
    ...plan,
    ensure: ensure.map(fitted(registry)),
    ...(withheld && { withheld: { ...withheld, ensure: withheld.ensure.map(fitted(registry)) } }),
    ...(reading && { reading: { ...reading, plan: later } }),
  };
}

/** `reconciler` with tiny's own images from `registry` (`registry.example/team`); unchanged where none is named. */
export function withImagesFrom(registry: string | undefined, reconciler: Reconciler<Session>): Reconciler<Session> {
  if (!registry) return reconciler;
  return { ...reconciler, plan: (...about) => planFrom(reconciler.plan(...about), registry) };
}
