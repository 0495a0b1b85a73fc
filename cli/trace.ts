/** A client that tells each of its requests on stderr, for `--verbose`. Bodies are never told: they may hold secrets. */
import type { Client } from '../lib/kube/types.ts';
import type { App } from './app.ts';
import { safeLine } from './output/safe.ts';

const ASYNC = ['get', 'list', 'create', 'apply', 'applyStatus', 'patch', 'delete', 'request'] as const;

function told(value: unknown): string {
  if (typeof value === 'string') return value;
  const { plural, name, namespace, metadata } = (value ?? {}) as Record<string, unknown> & {
    metadata?: { name: string };
  };
  return [plural, namespace, name ?? metadata?.name].filter(Boolean).join(' ');
}

/** `client` with each request told through `app.note`: method, object, outcome, milliseconds. */
export function traced(client: Client, app: Pick<App, 'note' | 'now'>): Client {
  const wrapped = Object.create(client) as Record<string, unknown>;
  for (const method of ASYNC) {
    wrapped[method] = async (...given: unknown[]) => {
      const started = app.now().getTime();
      const tell = (outcome: string) =>
        app.note(
          safeLine(
            `${method} ${given.slice(0, 2).map(told).join(' ')}: ${outcome}, ${app.now().getTime() - started} ms`,
          ),
        );
      try {
        const answer = await (client[method] as (...all: unknown[]) => Promise<unknown>).apply(client, given);
        tell('ok');
        return answer;
      } catch (error) {
        tell(error instanceof Error ? error.message : String(error));
        throw error;
      }
    };
  }
  wrapped['as'] = (...person: Parameters<Client['as']>) => traced(client.as(...person), app);
  return wrapped as unknown as Client;
}
