import { expect, test } from 'vitest';
import type { KubeObject, Stored } from '../../../lib/api/meta.ts';
import type { Session } from '../../../lib/api/session.ts';
import type { Plan, Reconciler } from '../../../lib/plan.ts';
import { withImagesFrom } from '../../../lib/session/images.ts';
import type { Deployment } from '../../../lib/session/make-deployment.ts';
import { sessions } from '../../../lib/session/plan.ts';
import { makeSession, NOW } from '../../support/objects.ts';

const imagesOf = ({ ensure }: Plan): string[] =>
  ensure
    .filter(({ type }) => type.kind === 'Deployment')
    .map(({ object }) => (object as Deployment).spec.template.spec)
    .flatMap((pod) => [...(pod?.initContainers ?? []), ...(pod?.containers ?? [])])
    .map(({ image = '' }) => image);

const from = (registry: string | undefined, session: Stored<Session>) =>
  withImagesFrom(registry, sessions).plan(session, NOW);

test("every image of tiny's own in a Session's pod comes from the registry that is named", () => {
  const images = imagesOf(from('registry.example/team', makeSession()));
  expect(images).toContain('registry.example/team/agent-tools:0.1.0');
  expect(images.filter((image) => !image.startsWith('registry.example/team/'))).toEqual([]);
});

test('an image that the Session names stays', () => {
  const session = makeSession({ spec: { agent: { name: 'rehearsal', image: 'own.example/agent:1' } } });
  expect(imagesOf(from('registry.example/team', session))).toContain('own.example/agent:1');
});

test('nothing else of a plan changes: a prompt that speaks of an image is a prompt', () => {
  const session = makeSession({ spec: { prompt: 'image: tiny.dev/x' } });
  const [plain, fitted] = [sessions.plan(session, NOW), from('registry.example', session)];
  const others = ({ ensure }: Plan) => ensure.map(({ object }) => object).filter(({ kind }) => kind !== 'Deployment');
  expect(others(fitted)).toEqual(others(plain));
  expect({ ...fitted, ensure: [] }).toEqual({ ...plain, ensure: [] });
});

test('without a registry it is the same reconciler', () => expect(withImagesFrom(undefined, sessions)).toBe(sessions));

test('what a plan comes to after reading other objects has its images there, too', () => {
  const plan = sessions.plan(makeSession(), NOW);
  const found: (Stored<KubeObject> | undefined)[] = [];
  const reading: Reconciler<Session> = {
    ...sessions,
    plan: () => ({ ...plan, ensure: [], reading: { type: sessions.type, refs: [], plan: () => plan } }),
  };
  const after = withImagesFrom('registry.example', reading).plan(makeSession(), NOW).reading?.plan(found);
  expect(after && imagesOf(after)).toContain('registry.example/agent-tools:0.1.0');
});
