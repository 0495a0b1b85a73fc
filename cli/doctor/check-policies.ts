/** Whether admission stamps and verifies who acts. Pure. */
import type { Finding } from './finding.ts';
import type { System } from './observed.ts';

const WHY = 'Without them anyone who may make a Session can write that somebody else asked for it.';

function missing({ policies, expected }: System): Finding[] {
  if ('hidden' in policies) return [];
  const there = new Set(policies.value);
  return expected.policies
    .filter(({ kind, metadata }) => !there.has(`${kind}/${metadata.name}`))
    .map(({ kind, metadata }) => ({
      severity: 'error',
      reason: 'PolicyMissing',
      object: `${kind} ${metadata.name}`,
      what: 'is not there',
      why: WHY,
      fix: 'tiny install',
    }));
}

const notInForce = ({ probes }: System): Finding[] =>
  probes
    .filter(({ inForce, untried }) => !inForce && !untried)
    .map(({ what, saw }) => ({
      severity: 'error',
      reason: 'PolicyNotInForce',
      object: `policies over ${what}s`,
      what: `are not seen to work: ${saw}`,
      why: WHY,
      fix: 'wait half a minute after an installation; then `tiny install`',
    }));

/** None is expected where the resources alone are installed: there nobody acts for another. */
export const checkPolicies = (system: System): Finding[] => [...missing(system), ...notInForce(system)];
