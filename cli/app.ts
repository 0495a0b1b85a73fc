/**
 * What a command is given: streams, flags, and the way to a cluster. A command never touches the process, so that
 * tests run it in their own.
 */
import type { Command } from 'commander';
import type { Send } from '../lib/kube/send.ts';
import type { Client } from '../lib/kube/types.ts';
import type { Environment } from './env.ts';
import type { Format } from './output/document.ts';
import type { Style } from './output/style.ts';

export interface Output {
  write(text: string | Uint8Array): unknown;
  isTTY?: boolean;
  columns?: number;
}

export interface Io {
  stdin: AsyncIterable<Uint8Array | string> & { isTTY?: boolean };
  stdout: Output;
  stderr: Output;
}

/** Which cluster and namespace: what the flags say; the rest is the kubeconfig's. */
export interface Where {
  kubeconfig?: string;
  context?: string;
  namespace?: string;
}

/** A cluster, as one person, in one namespace. */
export interface Connection {
  client: Client;
  namespace: string;
  context: string;
  /** The API server's URL. */
  server: string;
  /** Sends bytes to a container's standard input. */
  send: Send;
}

/** What comes from outside and differs in a test. */
export interface Deps {
  /** `tiny`, or `kubectl tiny` where kubectl has started it. */
  program: string;
  /** Read before a command acts, and for help and `--version` never: its schema costs half their time. */
  readEnv(): Promise<Environment>;
  now(): Date;
  /** Random bytes, at most 64. */
  random(count: number): Uint8Array;
  connect(where: Where): Promise<Connection>;
  readFile(path: string): Promise<Uint8Array>;
  fetch: typeof fetch;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
}

/** The flags that every command knows. */
export interface Flags extends Where {
  allNamespaces?: boolean;
  output?: Format;
  watch?: boolean;
  color: boolean;
  verbose?: boolean;
}

export interface App extends Deps {
  io: Io;
  flags: Flags;
  env: Environment;
  style: Style;
  /** Loads the code of a bare command of the program, once, and adds its arguments and options. */
  complete(command: Command): Promise<void>;
  /** The cluster of this run, connected once. */
  cluster(): Promise<Connection>;
  /** Data, to stdout. */
  print(text: string): void;
  /** A line for the person, to stderr. */
  note(text: string): void;
}
