/** The prompt as a file: an argument or a variable ends at 128 KiB and shows in every process list. */
import type { KubeObject, Stored } from '../api/meta.ts';
import type { Session } from '../api/session.ts';
import { childMeta, promptSecretName } from './names.ts';

export interface PromptSecret extends KubeObject {
  type: 'Opaque';
  immutable: true;
  data: { prompt: string };
}

export const makeSecret = (session: Stored<Session>): PromptSecret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: childMeta(session, promptSecretName(session)),
  type: 'Opaque',
  immutable: true,
  data: { prompt: Buffer.from(session.spec.prompt, 'utf8').toString('base64') },
});
