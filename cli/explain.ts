/** Any error as a person needs it: what happened, to which object, why, and what to do. */
import { ApiError, ConnectionError } from '../lib/kube/errors.ts';
import type { App } from './app.ts';
import { EXIT, Failure } from './failure.ts';
import { safeText } from './output/safe.ts';

export interface Explained {
  message: string;
  hints: readonly string[];
  exit: number;
}

type Words = Pick<Explained, 'message' | 'hints'>;

/** As kube-apiserver says that a right is missing. */
const FORBIDDEN =
  /User "([^"]*)" cannot (\S+) resource "([^"]+)" in API group "([^"]*)"(?: in the namespace "([^"]+)")?(?: at the cluster scope)?:? ?(.*)$/s;

function forbidden({ message }: ApiError): Words {
  const [, user, verb, resource, group, namespace, more] = FORBIDDEN.exec(message) ?? [];
  if (!verb) return { message, hints: ['`tiny whoami` tells who the cluster takes you for.'] };
  const what = group ? `${resource}.${group}` : `${resource}`;
  const where = namespace ? ` in namespace ${namespace}` : '';
  return {
    message: `you are ${user} and may not ${verb} ${what}${where}${more ? ` (${more.trim()})` : ''}`,
    hints: [
      `The missing right: verb "${verb}" on "${what}"${where}. Ask whoever runs the project for it,`,
      `or act as somebody who has it (--context). \`kubectl auth can-i --list${namespace ? ` -n ${namespace}` : ''}\` lists yours.`,
    ],
  };
}

const CRDS_MISSING: Words = {
  message: "this cluster doesn't know Sessions and Questions: the resources of tiny.dev are not installed",
  hints: [
    'On a cluster that you run: `tiny install`.',
    'To try it on this machine: `tiny up` starts a local cluster that has them.',
  ],
};

function invalid({ message, status }: ApiError): Words {
  const causes = status.details?.causes ?? [];
  return {
    message: causes.length
      ? `the cluster refused it: ${status.details?.kind ?? 'object'} "${status.details?.name ?? ''}"`
      : message,
    hints: causes.map((cause) => [cause.field, cause.message].filter(Boolean).join(': ')),
  };
}

const BY_CODE: Record<number, (error: ApiError) => Words> = {
  401: ({ message }) => ({
    message: `the cluster doesn't know you: ${message}`,
    hints: ['Your credentials are wrong or have expired: log in again, or choose another --context.'],
  }),
  403: forbidden,
  404: (error) => (error.reason === 'NotFound' ? { message: error.message, hints: [] } : CRDS_MISSING),
  409: ({ message }) => ({ message, hints: ['Somebody else was faster. Look again, and try again.'] }),
  422: invalid,
  429: ({ message }) => ({ message, hints: ['The cluster is busy. Try again in a moment.'] }),
};

function fromApi(error: ApiError): Words {
  const words = BY_CODE[error.code];
  if (words) return words(error);
  return { message: `the API server failed (${error.code}): ${error.message}`, hints: ['Try again in a moment.'] };
}

/** The code of the operating system or of TLS, wherever in the chain of causes it stands. */
function codeOf(error: unknown): string {
  const { code, cause } = (error ?? {}) as { code?: string; cause?: unknown };
  return code ?? (cause ? codeOf(cause) : '');
}

const CONNECTION_HINTS: [RegExp, string][] = [
  [/ECONNREFUSED/, 'Is the cluster up? `tiny up` starts a local one.'],
  [/ENOTFOUND|EAI_AGAIN/, "The API server's name can't be resolved: is the context right, and the network or VPN up?"],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/,
    "The API server's certificate isn't one that the kubeconfig trusts: is it the kubeconfig of another cluster, or of one that was made anew?",
  ],
];

function fromConnection(error: ConnectionError): Words {
  const text = `${codeOf(error)} ${error.message}`;
  const [, hint] = CONNECTION_HINTS.find(([pattern]) => pattern.test(text)) ?? [];
  return {
    message: error.message,
    hints: [hint ?? 'Is the cluster up, and the network? `tiny up` starts a local one.'],
  };
}

function words(error: unknown): Words {
  if (error instanceof Failure) return error;
  if (error instanceof ApiError) return fromApi(error);
  if (error instanceof ConnectionError) return fromConnection(error);
  const message = error instanceof Error ? error.message : String(error);
  return { message, hints: ['This should not have happened. --verbose tells where.'] };
}

/** The words and the exit code for `error`; what the cluster says in them is made harmless. */
export function explain(error: unknown, app: Pick<App, 'program'>): Explained {
  const { message, hints } = words(error);
  const said = (text: string) => safeText(text).replaceAll('`tiny ', `\`${app.program} `);
  return {
    message: said(message),
    hints: hints.map(said),
    exit: error instanceof Failure ? error.exit : EXIT.failed,
  };
}
