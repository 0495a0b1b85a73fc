/** Every check over one observation. Pure. */
import { checkClock } from './check-clock.ts';
import { checkEventing } from './check-eventing.ts';
import { checkPolicies } from './check-policies.ts';
import { checkPods, checkProject } from './check-project.ts';
import { checkResources } from './check-resources.ts';
import { checkRights } from './check-rights.ts';
import { type Finding, sorted } from './finding.ts';
import type { Observed, Read } from './observed.ts';

/** What could not be looked at is told: that nothing was found there says nothing. */
function unseen({ system, projects, rights }: Observed): Finding[] {
  const reads: [what: string, read: Read<unknown>][] = [
    ['CustomResourceDefinitions', system.definitions],
    ['admission policies', system.policies],
    ['pods of tiny-system', system.pods],
    ...Object.entries(system.eventing ?? {}).map(([name, read]): [string, Read<unknown>] => [
      `Knative's ${name}`,
      read,
    ]),
    ...projects.flatMap(({ namespace, present, sessions, pods }): [string, Read<unknown>][] => [
      [`accounts and roles of ${namespace}`, present],
      [`Sessions of ${namespace}`, sessions],
      [`pods of ${namespace}`, pods],
    ]),
    [
      'rights of others (SubjectAccessReview)',
      rights.some(({ allowed }) => allowed === undefined) ? { hidden: '-' } : { value: 0 },
    ],
    ...system.probes.map(({ what, untried }): [string, Read<unknown>] => [
      `policies over ${what}s (by a dry run in tiny-system)`,
      untried ? { hidden: '-' } : { value: 0 },
    ]),
  ];
  const hidden = reads.filter(([, read]) => 'hidden' in read).map(([what]) => what);
  if (!hidden.length) return [];
  return [
    {
      severity: 'warning',
      reason: 'NotSeen',
      object: 'your rights',
      what: `do not reach to look at ${hidden.join(', ')}`,
      why: 'That nothing is found wrong there says nothing.',
      fix: 'have whoever administers the cluster run `tiny doctor -A`',
    },
  ];
}

/** Without its kinds nothing else can be told. */
export function check(observed: Observed): Finding[] {
  const { system, projects } = observed;
  const resources = checkResources(system);
  const pods = 'value' in system.pods ? system.pods.value : [];
  return sorted([
    ...resources,
    ...checkPolicies(system),
    ...checkClock(system),
    ...checkEventing(system),
    ...checkRights(observed),
    ...checkPods(pods),
    ...projects.flatMap((project) => checkProject(project, system)),
    ...unseen(observed),
  ]);
}
