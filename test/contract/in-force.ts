/**
 * Waits until each policy is seen to work. A policy over a kind that has only just been defined answers 503, or nothing
 * at all, for up to half a minute.
 */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { applyAll } from '../../lib/install/apply.ts';
import { readManifests } from '../../lib/install/manifests.ts';
import { QUESTIONS, SESSIONS } from '../../lib/kube/types.ts';
import { type AskedServer, askerOf } from './asker.ts';
import { CONFIG_MAPS, NAMESPACES, question, session, settingsOf, spawning, stated, until } from './objects.ts';

const PROBE = 'probe';
const PROJECT = join(import.meta.dirname, '../../rbac/project');
/** The name of whoever installs, for a cluster that stamps nobody. */
const ME = { username: 'tiny:engine-admin' };

/** Refused by one policy alone, for the API server names but one of those that refuse. */
const proposed = (namespace: string, name: string) => ({
  kind: 'Apply',
  apply: { objects: [{ apiVersion: 'v1', kind: 'ConfigMap', namespace, name, fields: '{}' }] },
});
const SETTINGS = proposed(PROBE, 'tiny-settings');
const ELSEWHERE = proposed('kube-system', 'x');
const MORE = { 'tiny.dev/more-apply': '' };

const said = async (attempt: () => Promise<unknown>): Promise<string> => {
  const [result] = await Promise.allSettled([attempt()]);
  return result.status === 'rejected' ? String((result.reason as Error).message) : '';
};

const made = async <T>(attempt: () => Promise<T>): Promise<T> => until(() => attempt().catch(() => undefined));

/** Every policy of `rbac/policies` but those that only a cluster without mutation needs. */
export async function inForce(server: AskedServer): Promise<void> {
  const { admin } = server;
  const namespace = PROBE;
  await admin.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: PROBE } });
  await applyAll(admin, readManifests(PROJECT), { namespace, wait: setTimeout });
  const settings = stated(settingsOf(PROBE, { 'images.allowed': 'none', 'answerers.users': 'none' }));
  await made(() => admin.create(CONFIG_MAPS, settings).catch(() => admin.get(CONFIG_MAPS, settings.metadata)));
  const requester = ME;
  await made(() => admin.create(SESSIONS, session(PROBE, 'probe', { requester })));
  const asked = await made(() => admin.create(QUESTIONS, question(PROBE, 'probe')));
  const agent = admin.as({ username: `system:serviceaccount:${PROBE}:tiny-agent` });
  const asker = await askerOf(server, PROBE, 'probe');
  const image = { agent: { name: 'rehearsal', image: 'other' }, requester };
  const status = {
    apiVersion: 'tiny.dev/v1alpha1',
    kind: 'Session',
    metadata: { name: 'probe', namespace },
    status: {},
  };
  const answered = `/apis/tiny.dev/v1alpha1/namespaces/${PROBE}/questions/${asked.metadata.name}`;
  const refused: Record<string, () => Promise<unknown>> = {
    'tiny-agent-alone': () => admin.create(QUESTIONS, question(PROBE, 'probe', { spec: spawning('x') })),
    'tiny-agent-asks': () => agent.create(QUESTIONS, question(PROBE, 'probe')),
    'tiny-agent-reports': () => agent.applyStatus(SESSIONS, status),
    'tiny-allowed': () => admin.create(SESSIONS, session(PROBE, 'image', image)),
    'tiny-spawn': () =>
      asker.create(QUESTIONS, question(PROBE, 'probe', { spec: spawning('x', { credentials: [{ secret: 's' }] }) })),
    'tiny-spawn-settings': () =>
      admin.create(QUESTIONS, question(PROBE, 'probe', { labels: { 'tiny.dev/more-image': '' } })),
    'tiny-apply': () => asker.create(QUESTIONS, question(PROBE, 'probe', { spec: SETTINGS })),
    'tiny-apply-settings': () => asker.create(QUESTIONS, question(PROBE, 'probe', { spec: ELSEWHERE, labels: MORE })),
    'tiny-who-may-answer': () =>
      admin.request('PATCH', `${answered}?dryRun=All`, { spec: { answer: { option: 'allow', by: ME } } }),
  };
  for (const [policy, attempt] of Object.entries(refused))
    await until(async () => (await said(attempt)).includes(`'${policy}'`));
}
