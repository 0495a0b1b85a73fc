/** The kubeconfig of a local cluster: a context for you and one for each of the people to try the rules with. */
export interface Kubeconfig {
  apiVersion: 'v1';
  kind: 'Config';
  clusters: { name: string; cluster: Record<string, string> }[];
  users: { name: string; user: { token: string } }[];
  contexts: { name: string; context: { cluster: string; user: string; namespace: string } }[];
  'current-context': string;
}

/** Names the cluster and your own context in a kubeconfig. */
export const CONTEXT = 'tiny-local';

interface Access {
  url: string;
  caPem: string;
  tokens: Record<string, string>;
  you: string;
  namespace: string;
}

export function makeKubeconfig({ url, caPem, tokens, you, namespace }: Access): Kubeconfig {
  const contextOf = (name: string) => (name === you ? CONTEXT : `${CONTEXT}-${name}`);
  const names = Object.keys(tokens);
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: CONTEXT, cluster: { server: url, 'certificate-authority-data': Buffer.from(caPem).toString('base64') } },
    ],
    users: names.map((name) => ({ name: `${CONTEXT}-${name}`, user: { token: tokens[name] ?? '' } })),
    contexts: names.map((name) => ({
      name: contextOf(name),
      context: { cluster: CONTEXT, user: `${CONTEXT}-${name}`, namespace },
    })),
    'current-context': CONTEXT,
  };
}
