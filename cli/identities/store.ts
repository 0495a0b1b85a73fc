/**
 * The file of identities in its Secret, read and written with the rights of whoever runs the command. A write counts only
 * for the version that was read: of two people who edit at the same time, neither's entry is lost.
 */
import type { KubeObject, Stored } from '../../lib/api/meta.ts';
import type { Edited } from '../../lib/identity/edit.ts';
import { IDENTITIES, type Identities, parseIdentities, UnusableIdentities } from '../../lib/identity/mapping.ts';
import { isAlreadyExists, isConflict } from '../../lib/kube/errors.ts';
import { type Client, type ResourceType, SECRETS } from '../../lib/kube/types.ts';
import { Failure } from '../failure.ts';

interface Secret extends KubeObject {
  data?: Record<string, string>;
}

const TYPE = SECRETS as ResourceType<Secret>;
const REF = { namespace: IDENTITIES.namespace, name: IDENTITIES.name };
const ATTEMPTS = 8;

function read(secret: Secret | undefined): Identities {
  const encoded = secret?.data?.[IDENTITIES.key];
  if (encoded === undefined) return {};
  try {
    return parseIdentities(Buffer.from(encoded, 'base64').toString('utf8'));
  } catch (error) {
    if (!(error instanceof UnusableIdentities)) throw error;
    throw new Failure(
      `Secret ${IDENTITIES.namespace}/${IDENTITIES.name}: ${error.message}`,
      'As long as it is, nobody from outside can act. docs/people.md has the format.',
    );
  }
}

/** What stands there; nothing where there is no Secret. Throws Failure where it is unusable. */
export const readIdentities = async (client: Client): Promise<Identities> => read(await client.get(TYPE, REF));

/** Edits it; begins anew where somebody else has written meanwhile. Throws Failure for what `edit` refuses. */
export async function editIdentities(client: Client, edit: (identities: Identities) => Edited): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const secret = await client.get(TYPE, REF);
    const edited = edit(read(secret));
    if ('refusal' in edited) throw new Failure(edited.refusal, 'Nothing was changed.');
    if (await write(client, secret, edited.identities)) return;
  }
  throw new Failure('the identities change faster than they can be edited', 'Try again in a moment.');
}

/** False where somebody else was faster. */
async function write(client: Client, secret: Stored<Secret> | undefined, identities: Identities): Promise<boolean> {
  const text = `${JSON.stringify(identities, null, 2)}\n`;
  const data = { [IDENTITIES.key]: Buffer.from(text).toString('base64') };
  try {
    if (secret) {
      const { uid, resourceVersion } = secret.metadata;
      await client.patch(TYPE, REF, { type: 'merge', body: { metadata: { uid, resourceVersion }, data } });
    } else {
      const metadata = { ...REF, labels: { 'app.kubernetes.io/part-of': 'tiny' } };
      await client.create(TYPE, { apiVersion: 'v1', kind: 'Secret', metadata, data });
    }
    return true;
  } catch (error) {
    if (isConflict(error) || isAlreadyExists(error)) return false;
    throw error;
  }
}
