/** Function github against an API server in memory and a fake GitHub. What people may do, a hook decides as admission would. */
import { makeGitHub } from '../../../lib/github/api.ts';
import { takeEvent } from '../../../lib/github/event.ts';
import { type HandleOptions, handleGitHub } from '../../../lib/github/handle.ts';
import { tellSession } from '../../../lib/github/tell.ts';
import { makeTold } from '../../../lib/github/told.ts';
import { makeTurns } from '../../../lib/github/turns.ts';
import type { Identities } from '../../../lib/identity/mapping.ts';
import type { Projects } from '../../../lib/intake/projects.ts';
import { type Ref, SESSIONS } from '../../../lib/kube/types.ts';
import { type Hooks, MemoryServer } from '../../support/memory-client.ts';
import { NOW } from '../../support/objects.ts';
import { ALICE, BOB, type Delivery, fakeGitHub, SECRET } from './fake-github.ts';

export const PEOPLE: Identities = {
  people: [
    { username: 'alice', groups: ['team'], github: [ALICE.id] },
    { username: 'bob', groups: ['team'], github: [BOB.id] },
  ],
};
const PROJECTS: Projects = {
  projects: [
    { namespace: 'team-a', github: ['Acme/Shop'], session: { repository: { credentialsSecret: 'git' } } },
    { namespace: 'team-b', github: ['acme/other'] },
  ],
};

export function githubStage({ hooks = {}, ...more }: { hooks?: Hooks } & Partial<HandleOptions> = {}) {
  const server = new MemoryServer(hooks);
  const fake = fakeGitHub();
  const client = server.client('tiny-github');
  const logged: string[] = [];
  const pending: Promise<unknown>[] = [];
  const log = (fields: object, message: string) => void logged.push(JSON.stringify({ ...fields, message }));
  const now = () => NOW;
  const github = makeGitHub({ send: fake.send, url: 'https://api.github.com', token: async () => 'token', now });
  const turns = makeTurns();
  const options: HandleOptions = {
    ...{ client, github, now, log: { info: log, warn: log } },
    ...{ secrets: () => [SECRET], secret: () => SECRET, identities: () => PEOPLE, projects: () => PROJECTS },
    told: makeTold(),
    tellLater: (session) => void pending.push(tell(session).catch(() => undefined)),
    ...more,
  };
  const tell = (session: Ref) => turns.run(`${session.namespace}/${session.name}`, () => tellSession(session, options));
  const sessions = async () => (await client.list(SESSIONS, { namespace: 'team-a' })).items;
  const event = (kind: string, name: string) =>
    takeEvent(
      {
        headers: {
          ...{ 'ce-id': '1', 'ce-source': 'https://kubernetes', 'ce-specversion': '1.0', 'ce-kind': kind },
          ...{ 'ce-type': 'dev.knative.apiserver.ref.update', 'content-type': 'application/json' },
        },
        body: Buffer.from(JSON.stringify({ apiVersion: 'tiny.dev/v1alpha1', kind, namespace: 'team-a', name })),
      },
      { client, log: options.log, tell },
    );
  return {
    ...{ server, fake, options, logged, tell, sessions, event },
    send: (delivery: Delivery) => handleGitHub(delivery, options),
    /** Waits for what goes on behind answers. */
    settled: async () => {
      while (pending.length) await pending.shift();
    },
    session: async () => {
      const [session, another] = await sessions();
      if (!session || another) throw new Error(`there are ${another ? 'more Sessions than one' : 'none'}`);
      return session;
    },
    writes: () =>
      server.asked
        .filter(({ verb }) => verb === 'create' || verb === 'patch')
        .map(({ verb, user }) => `${verb} as ${user}`),
  };
}
