/** `tiny identity check`: who somebody from outside would be, and what they may do in the project then. */
import type { Person } from '../../lib/api/meta.ts';
import { asImpersonated } from '../../lib/identity/impersonation-headers.ts';
import { keyOf, whoIs } from '../../lib/identity/mapping.ts';
import { serviceAccountOf } from '../../lib/identity/person.ts';
import { isForbidden, isNotFound } from '../../lib/kube/errors.ts';
import type { Client } from '../../lib/kube/types.ts';
import type { App } from '../app.ts';
import { Failure, UsageError } from '../failure.ts';
import { document } from '../output/document.ts';
import { safeLine } from '../output/safe.ts';
import { fields } from '../output/table.ts';
import { type IdOptions, outsidersOf } from './ids.ts';
import { readIdentities } from './store.ts';

const PATH = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
/** What the API server adds to whoever acts. */
const EVERYBODY = 'system:authenticated';

interface Review {
  status: { allowed: boolean };
}

type May = 'yes' | 'no' | 'the cluster does not tell you';

function groupsOf({ username, groups = [] }: Person): string[] {
  const account = serviceAccountOf(username);
  const own = account ? ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`] : groups;
  return [...own, EVERYBODY];
}

async function may(client: Client, person: Person, attributes: object): Promise<May> {
  const spec = {
    user: person.username,
    groups: groupsOf(person),
    resourceAttributes: { group: 'tiny.dev', ...attributes },
  };
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
  const review = await client.request<Review>('POST', PATH, body).catch((error: unknown) => {
    if (isForbidden(error) || isNotFound(error)) return undefined;
    throw error;
  });
  return review ? (review.status.allowed ? 'yes' : 'no') : 'the cluster does not tell you';
}

/** Prints who it is; throws Failure where that is nobody. */
export async function checkIdentity(app: App, options: IdOptions): Promise<void> {
  const [who, another] = outsidersOf(options);
  if (!who || another) throw new UsageError('check takes one of --slack, --github and --email');
  const { client, namespace } = await app.cluster();
  const found = whoIs(await readIdentities(client), who);
  if ('refusal' in found) throw new Failure(found.message);
  const person = asImpersonated(found.person);
  const [answers, starts] = await Promise.all([
    may(client, person, { namespace, verb: 'patch', resource: 'questions' }),
    may(client, person, { namespace, verb: 'create', resource: 'sessions' }),
  ]);
  const told = { who: keyOf(who), ...person, namespace, answersQuestions: answers, startsSessions: starts };
  const { output } = app.flags;
  if (output === 'json' || output === 'yaml') return app.print(await document(told, output));
  app.print(
    fields([
      ['Who', keyOf(who)],
      ['Name', safeLine(person.username)],
      ['Groups', person.groups?.map(safeLine).join('\n')],
      ['Namespace', namespace],
      ['Answers Questions', answers],
      ['Starts Sessions', starts],
    ]),
  );
}
