/** A pretended API server behind the `Client` interface: as much of one as the tools of a session's pod use. */
import type { KubeObject, Stored } from '../../lib/api/meta.ts';
import type { Question, QuestionSpec } from '../../lib/api/question.ts';
import { type Session, sessionSpec } from '../../lib/api/session.ts';
import { ApiError } from '../../lib/kube/errors.ts';
import type { Client, Ref, ResourceType } from '../../lib/kube/types.ts';

export interface PretendedApi {
  client: Client;
  session(): Stored<Session>;
  questions(): Stored<Question>[];
  /** Sends the Session a message. */
  say(text: string): void;
  budget(budget: Session['spec']['budget']): void;
  answer(name: string, answer: QuestionSpec['answer']): void;
  act(name: string, status: Question['status']): void;
  /** How often a status was applied. */
  writes(): number;
}

export const SESSION_UID = '11111111-2222-3333-4444-555555555555';

export function pretendApi(name: string, spec: Record<string, unknown>): PretendedApi {
  const objects = new Map<string, Stored<KubeObject>>();
  let version = 0;
  let writes = 0;
  const key = (plural: string, { namespace = '', name: of }: Ref) => `${plural}/${namespace}/${of}`;
  const put = <T extends KubeObject>({ plural }: ResourceType<T>, object: T): Stored<T> => {
    version += 1;
    const metadata = { uid: `uid-${version}`, ...object.metadata, resourceVersion: String(version) };
    const stored = { ...structuredClone(object), metadata } as Stored<T>;
    objects.set(key(plural, metadata), stored as unknown as Stored<KubeObject>);
    return stored;
  };
  const SESSIONS = { plural: 'sessions' } as ResourceType<Session>;
  const QUESTIONS = { plural: 'questions' } as ResourceType<Question>;
  const read = <T extends KubeObject>(type: ResourceType<T>, ref: Ref) =>
    structuredClone(objects.get(key(type.plural, ref))) as Stored<T> | undefined;
  const refuse = (code: number, reason: string) => {
    throw new ApiError(code, { code, reason, message: reason });
  };
  const session = () => read(SESSIONS, { namespace: 'p', name }) as Stored<Session>;
  const question = (of: string) => read(QUESTIONS, { namespace: 'p', name: of }) as Stored<Question>;
  const list = <T extends KubeObject>(type: ResourceType<T>) =>
    [...objects]
      .filter(([path]) => path.startsWith(`${type.plural}/`))
      .map(([, one]) => structuredClone(one) as unknown as Stored<T>);
  const client = {
    get: async (type: ResourceType, ref: Ref) => read(type, ref),
    list: async (type: ResourceType) => ({ items: list(type), resourceVersion: String(version) }),
    create: async (type: ResourceType, object: KubeObject) =>
      read(type, object.metadata) ? refuse(409, 'AlreadyExists') : put(type, object),
    delete: async ({ plural }: ResourceType, ref: Ref) => void objects.delete(key(plural, ref)),
    applyStatus: async (type: ResourceType, object: KubeObject & { status?: unknown }) => {
      const before = read(type, object.metadata);
      if (!before) return refuse(404, 'NotFound');
      if (before.metadata.uid !== object.metadata.uid) return refuse(409, 'Conflict');
      writes += 1;
      return put(type, { ...before, status: object.status } as KubeObject);
    },
  } as unknown as Client;
  const wanted = {
    apiVersion: 'tiny.dev/v1alpha1',
    kind: 'Session',
    metadata: { name, namespace: 'p', uid: SESSION_UID, generation: 1 },
  };
  put(SESSIONS, { ...wanted, spec: sessionSpec.parse(spec) } as Session);
  return {
    client,
    session,
    questions: () => list(QUESTIONS),
    say(text) {
      const now = session();
      const messages = [...(now.spec.messages ?? []), { id: `m${version}`, text }];
      put(SESSIONS, { ...now, spec: { ...now.spec, messages } });
    },
    budget(budget) {
      const now = session();
      put(SESSIONS, { ...now, spec: { ...now.spec, budget } });
    },
    answer(of, answer) {
      const now = question(of);
      put(QUESTIONS, { ...now, spec: { ...now.spec, answer } } as Question);
    },
    act(of, status) {
      put(QUESTIONS, { ...question(of), status } as Question);
    },
    writes: () => writes,
  };
}
