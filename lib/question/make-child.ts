/** The Session that a yes to a Spawn makes: exactly what was asked, and whose yes it was. */
import { isDeepStrictEqual } from 'node:util';
import { ANNOTATION, API_VERSION, type KubeObject, LABEL, type Person, type Stored } from '../api/meta.ts';
import type { Question } from '../api/question.ts';
import type { SessionRequest } from '../api/session.ts';
import { asImpersonated } from '../identity/impersonation-headers.ts';
import { samePerson } from '../identity/person.ts';

export interface ChildSession extends KubeObject {
  spec: SessionRequest & { parent: string; requester: Person };
}

/** `undefined` where the Question proposes no Session. The API server stamps the requester anew from who acts, or holds this to it. */
export function makeChild(question: Stored<Question>, answerer: Person): ChildSession | undefined {
  const { spawn, session } = question.spec;
  if (!spawn) return undefined;
  return {
    apiVersion: API_VERSION,
    kind: 'Session',
    metadata: {
      name: spawn.name,
      namespace: question.metadata.namespace,
      labels: { [LABEL.parent]: session },
      annotations: { [ANNOTATION.question]: question.metadata.uid },
    },
    spec: { ...spawn.spec, parent: session, requester: asImpersonated(answerer) },
  };
}

/**
 * Whether a Session that is there already is the one that this yes made: asked for by this Question, with exactly what
 * was asked, as this answerer. The annotation alone proves nothing, since anybody may write it.
 */
export const isChild =
  (child: ChildSession) =>
  (live: KubeObject): boolean => {
    const { spec } = live as ChildSession;
    const { requester, ...asked } = child.spec;
    const said = live.metadata.annotations?.[ANNOTATION.question] === child.metadata.annotations?.[ANNOTATION.question];
    const same = Object.entries(asked).every(([key, value]) =>
      isDeepStrictEqual(value, spec[key as keyof typeof spec]),
    );
    return said && same && samePerson(spec.requester, requester);
  };
