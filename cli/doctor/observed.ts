/** All that the checks look at, as it was read at one moment. Types only. */
import type { Condition, KubeObject, Person } from '../../lib/api/meta.ts';
import type { Session } from '../../lib/api/session.ts';
import type { Features } from '../../lib/install/features.ts';
import type { Probed } from '../../lib/install/probe.ts';
import type { Right } from './rights.ts';

/** What was read, or why it could not be. */
export type Read<T> = { value: T } | { hidden: string };

/** An object that says whether it is Ready. */
export interface Served extends KubeObject {
  spec?: { delivery?: { deadLetterSink?: unknown } };
  status?: { conditions?: Pick<Condition, 'type' | 'status' | 'reason' | 'message'>[] };
}

export interface Waiting {
  reason?: string;
  message?: string;
}

interface ContainerStatus {
  name: string;
  image?: string;
  state?: { waiting?: Waiting };
}

export interface Pod extends KubeObject {
  status?: { containerStatuses?: ContainerStatus[]; initContainerStatuses?: ContainerStatus[] };
}

/** A right, and whether the account has it; `undefined` where the server was not to be asked. */
export interface Checked extends Right {
  allowed: boolean | undefined;
}

/** The kinds of Knative's that `knative/` uses, in tiny-system. */
export interface Eventing {
  sources: Read<Served[]>;
  schedules: Read<Served[]>;
  brokers: Read<Served[]>;
  triggers: Read<Served[]>;
  services: Read<Served[]>;
}

/** A namespace in which Sessions run, or are to. */
export interface Project {
  namespace: string;
  /** `Kind/name` of what `rbac/project` consists of and is there. */
  present: Read<string[]>;
  expected: string[];
  sessions: Read<Session[]>;
  pods: Read<Pod[]>;
}

export interface System {
  now: Date;
  /** The API server's clock when it was asked. */
  serverTime: Date | undefined;
  /** Milliseconds that the asking took. */
  asked: number;
  me: Person | undefined;
  features: Features;
  /** Whether functions act here: Knative is there, and their roles. */
  functions: boolean;
  expected: { definitions: KubeObject[]; policies: KubeObject[]; eventing: KubeObject[] };
  definitions: Read<KubeObject[]>;
  /** `Kind/name`. */
  policies: Read<string[]>;
  probes: Probed[];
  eventing: Eventing | undefined;
  pods: Read<Pod[]>;
}

export interface Observed {
  system: System;
  projects: Project[];
  rights: Checked[];
}
