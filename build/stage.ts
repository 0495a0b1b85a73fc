/**
 * A stage for one function: the stand-in's API server with tiny installed and a person in a project, and nothing
 * beside it, so that each request in its audit log was the function's or the caller's own.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { KubeObject, Person, Stored } from '../lib/api/meta.ts';
import type { Session } from '../lib/api/session.ts';
import { applyAll } from '../lib/install/apply.ts';
import { readManifests } from '../lib/install/manifests.ts';
import { makeClient } from '../lib/kube/client.ts';
import { type Client, SESSIONS } from '../lib/kube/types.ts';
import { startApiServer } from '../local/api/server.ts';
import { apiServerEvent, headersOf } from '../local/eventing/cloud-event.ts';
import { localRoles, personOf } from '../local/people.ts';
import type { Ask } from './program.ts';

export const PROJECT = 'stage';
/** By bearer token. */
const PEOPLE: Record<string, Person> = {
  admin: personOf('admin', ''),
  alice: personOf('alice', ''),
  session: functionOf('session'),
  question: functionOf('question'),
  sweep: functionOf('sweep'),
  'dead-letters': functionOf('dead-letters'),
  slack: functionOf('slack'),
  github: functionOf('github'),
};

function functionOf(name: string): Person {
  const groups = ['system:serviceaccounts', 'system:serviceaccounts:tiny-system', 'system:authenticated'];
  return { username: `system:serviceaccount:tiny-system:${name}`, groups };
}

/** A line of the audit log, as far as it is used. */
export interface Request {
  verb: string;
  user: { username: string };
  impersonatedUser?: { username: string };
  objectRef?: { resource: string; subresource?: string; name?: string };
  responseStatus: { code: number };
  requestReceivedTimestamp: string;
}

export interface Stage {
  /** The environment of a function's process. */
  envOf(name: string): Record<string, string>;
  /** Where files of the stage are; gone with it. */
  folder: string;
  /** Acts as `alice`, who may make Sessions, or as the function of that name. */
  as(name: string): Client;
  newSession(name: string): Promise<Stored<Session>>;
  /** What Knative delivers for an object just made. */
  eventOf(object: KubeObject): Ask;
  /** What the API server has been asked so far, by a person or function. */
  requests(by: string): Request[];
  close(): Promise<void>;
}

function eventOf(object: KubeObject): Ask {
  const about = { object, change: 'ADDED', mode: 'Reference', source: 'https://10.96.0.1:443' } as const;
  const event = apiServerEvent({ ...about, id: randomUUID(), time: new Date() });
  return { headers: headersOf(event, 'tiny-system'), body: event.body };
}

function writeCredentials(folder: string, token: string, ca: string): string {
  const credentials = join(folder, `${token}-credentials`);
  mkdirSync(credentials, { recursive: true });
  writeFileSync(join(credentials, 'ca.crt'), ca);
  writeFileSync(join(credentials, 'token'), token);
  return credentials;
}

function requestsIn(file: string, token: string): Request[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines
    .map((line) => JSON.parse(line) as Request)
    .filter(({ user }) => user.username === PEOPLE[token]?.username);
}

async function install(admin: Client, root: string): Promise<void> {
  const manifests = ['crds', 'rbac'].flatMap((folder) => readManifests(join(root, folder)));
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: PROJECT } };
  await applyAll(admin, [...manifests, ...localRoles(), namespace], { wait: setTimeout });
  await applyAll(admin, readManifests(join(root, 'rbac/project')), { namespace: PROJECT, wait: setTimeout });
}

/** `root` is the project's own folder. */
export async function setStage(root: string): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'tiny-stage-'));
  const server = await startApiServer({
    dataDir: folder,
    now: () => new Date(),
    people: new Map(Object.entries(PEOPLE)),
    log: (line) => void process.stderr.write(`${line}\n`),
  });
  const as = (token: string) =>
    makeClient({ server: server.url, ca: server.caPem, auth: { token }, fieldManager: `tiny-${token}` });
  const close = async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  };
  // A server that is left open would keep a failed build from ending.
  await install(as('admin'), root).catch(async (error) => {
    await close();
    throw error;
  });
  const alice = as('alice');
  const newSession = (name: string) =>
    alice.create(SESSIONS, {
      apiVersion: 'tiny.dev/v1alpha1',
      kind: 'Session',
      metadata: { name, namespace: PROJECT },
      spec: { prompt: 'Say hello.' },
    } as Session);
  const envOf = (name: string) => ({
    KUBERNETES_SERVICE_HOST: '127.0.0.1',
    KUBERNETES_SERVICE_PORT: new URL(server.url).port,
    TINY_CREDENTIALS: writeCredentials(folder, name, server.caPem),
    LOG_LEVEL: 'warn',
  });
  return { envOf, folder, eventOf, as, newSession, requests: (by) => requestsIn(join(folder, 'audit.log'), by), close };
}
