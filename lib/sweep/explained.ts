/** What a pod's Events say of it: volumes that can't be mounted or attached are told nowhere else. */
import type { CoreV1Event } from '@kubernetes/client-node';
import { type Client, EVENTS } from '../kube/types.ts';
import type { PodTrouble, Problem } from './pod-problem.ts';

const timeOf = ({ lastTimestamp, eventTime, metadata }: CoreV1Event): number =>
  new Date(lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? 0).getTime();

function reasonOf(message: string): Problem {
  if (/Multi-Attach/i.test(message))
    return { reason: 'MultiAttach', what: 'its volume is still attached to another node', detail: message };
  const [, missing] = /(secret|configmap) "?([^" ]+)"? not found/i.exec(message) ?? [];
  if (missing)
    return { reason: 'MissingReference', what: `its pod needs a ${missing} that is not there`, detail: message };
  return { reason: 'VolumeNotMounted', what: "its volume can't be mounted", detail: message };
}

/** The problem, in the words of the last warning where the pod's status alone does not say it. */
export async function explained(client: Client, { problem, pod }: PodTrouble): Promise<Problem> {
  if (problem.reason !== 'SlowStart') return problem;
  const { items } = await client.list(EVENTS, {
    ...(pod.namespace && { namespace: pod.namespace }),
    fieldSelector: `involvedObject.uid=${pod.uid}`,
  });
  const warnings = (items as CoreV1Event[])
    .filter(({ type }) => type === 'Warning')
    .sort((a, b) => timeOf(b) - timeOf(a));
  const message = warnings[0]?.message;
  return message ? reasonOf(message) : problem;
}
