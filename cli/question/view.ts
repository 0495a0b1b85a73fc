/**
 * What a yes to a proposal would change, asked of the API server with the rights of whoever looks. The yes is then
 * bound to it: function `question` applies nothing that changes something else.
 */
import type { Stored } from '../../lib/api/meta.ts';
import type { Question } from '../../lib/api/question.ts';
import { ApiError } from '../../lib/kube/errors.ts';
import type { App } from '../app.ts';
import { changesText } from './changes.ts';

export interface View {
  /** The changes, or why they can't be shown, in the API server's words. */
  text: string;
  /** Absent where they can't be shown: then this person can't apply it either. */
  shown?: string[];
}

/** `undefined` for a Question that proposes nothing. */
export async function viewOf(app: App, { spec }: Stored<Question>): Promise<View | undefined> {
  if (!spec.apply) return undefined;
  const { client } = await app.cluster();
  const [{ lookAtAll }, { UnusableManifest }] = await Promise.all([
    import('../../lib/question/apply-look.ts'),
    import('../../lib/question/apply-manifest.ts'),
  ]);
  try {
    const looked = await lookAtAll({ own: client, person: client }, spec.apply);
    return { text: changesText(looked), shown: looked.map(({ digest }) => digest) };
  } catch (error) {
    if (error instanceof ApiError || error instanceof UnusableManifest) return { text: error.message };
    throw error;
  }
}
