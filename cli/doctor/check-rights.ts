/** Whether who acts has the rights that it takes. Pure. */
import { serviceAccountOf } from '../../lib/identity/person.ts';
import type { Finding } from './finding.ts';
import type { Checked, Observed } from './observed.ts';
import { inWords } from './rights.ts';

const SYSTEM = 'tiny-system';

const isOurs = ({ who }: Checked): boolean => serviceAccountOf(who.username)?.namespace === SYSTEM;

const words = (rights: readonly Checked[]): string => rights.map(inWords).join(', ');

/** An own account without a right: the roles are missing, or have been changed. */
function ownAccount(rights: readonly Checked[]): Finding {
  const [{ of = '', who, namespace } = {} as Checked] = rights;
  const name = serviceAccountOf(who.username)?.name;
  const project = namespace === SYSTEM ? undefined : namespace;
  return {
    severity: 'error',
    reason: 'AccountWithoutRights',
    object: `ServiceAccount ${name}`,
    namespace: namespace ?? SYSTEM,
    what: `may not ${words(rights)}${namespace ? ` in ${namespace}` : ''}`,
    why: `It is ${of}'s: ${of === 'the event source' ? 'it is not ready without, and no event comes' : 'what it does is refused'}.`,
    fix: project ? `tiny init ${project}` : 'tiny install',
  };
}

/** A person whose Session can't be made. */
function requester(rights: readonly Checked[]): Finding {
  const [{ of = '', who, namespace = '' } = {} as Checked] = rights;
  const account = serviceAccountOf(who.username);
  const whom = account ? `--serviceaccount=${account.namespace}:${account.name}` : `--user=${who.username}`;
  return {
    severity: 'error',
    reason: 'RequesterWithoutRights',
    object: `Session ${of}`,
    namespace,
    what: `its requester ${who.username} may not ${words(rights)}`,
    why: 'What a Session is made of is made with the rights of whoever asked for it.',
    fix: `kubectl -n ${namespace} create rolebinding NAME --clusterrole=tiny-user ${whom}`,
  };
}

/** One finding for all that one account lacks in one place. */
export function checkRights({ rights }: Observed): Finding[] {
  const denied = rights.filter(({ allowed }) => allowed === false);
  const groups = Map.groupBy(denied, ({ who, of, namespace }) => `${who.username}\n${of}\n${namespace}`);
  return [...groups.values()].map((all) => (all.every(isOurs) ? ownAccount(all) : requester(all)));
}
