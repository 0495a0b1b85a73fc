/**
 * The tool `apply`: proposes Kubernetes objects. The Question holds them whole, since what was approved is what is
 * applied. Where they would change something else by the time of the yes, the same is asked anew, because the agent
 * still wants what it wanted and a person has only to look again.
 */
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { findCondition } from '../../lib/api/conditions.ts';
import type { Stored } from '../../lib/api/meta.ts';
import type { Question, QuestionSpec } from '../../lib/api/question.ts';
import { MAX_OBJECTS, manifest, type Proposal } from '../../lib/api/question-parts.ts';
import { manifestOf, named, UnusableManifest } from '../../lib/question/apply-manifest.ts';
import { cut } from '../cut.ts';
import type { Asking, Closed, Settled } from './asking.ts';
import { type ToolContext, ToolRefusal } from './tool.ts';

export const applyInput = {
  objects: z
    .string()
    .min(1, 'give the objects')
    .max(1_048_576, 'propose less at a time')
    .describe(
      'The Kubernetes objects as YAML documents or JSON, as for server-side apply: only the fields that are to be set. Without metadata.namespace they are for this project.',
    ),
  reason: z
    .string()
    .min(1, 'say why')
    .max(8192, 'shorten the reason to 8192 characters')
    .describe('Why, for the person who decides.'),
  force: z
    .boolean()
    .optional()
    .describe('Take over fields that others manage. Ask so only after a conflict, and say why in the reason.'),
};
type ApplyInput = z.infer<z.ZodObject<typeof applyInput>>;

/** How often the same is asked because something else changed it meanwhile. */
const TIMES = 5;

/** The documents in `text`; a list in one stands for its items. */
function documents(text: string): unknown[] {
  return parseAllDocuments(text, { logLevel: 'silent' }).flatMap((document) => {
    const [error] = document.errors;
    if (error) throw new ToolRefusal(`the objects are no YAML: ${error.message}`);
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    return value === null ? [] : value;
  });
}

/** What the agent proposes. Throws `ToolRefusal`, with what to do. Pure. */
export function proposalOf({ objects, force }: Pick<ApplyInput, 'objects' | 'force'>, namespace: string): Proposal {
  const all = documents(objects).map((one) => checked(one, namespace));
  const [again] = all.map(named).filter((name, index, names) => names.indexOf(name) < index);
  if (again) throw new ToolRefusal(`${again} stands there twice`);
  if (!all.length || all.length > MAX_OBJECTS) throw new ToolRefusal(`propose 1 to ${MAX_OBJECTS} objects at a time`);
  return { objects: all, ...(force && { force }) };
}

function checked(object: unknown, namespace: string) {
  try {
    const made = manifestOf(object, namespace);
    const { success, error } = manifest.safeParse(made);
    if (success) return made;
    throw new ToolRefusal(
      error.issues.map(({ path, message }) => `${named(made)}: ${path.join('.')}: ${message}`).join('; '),
    );
  } catch (error) {
    throw error instanceof UnusableManifest ? new ToolRefusal(error.message) : error;
  }
}

/** What is asked; `earlier` names a Question whose yes came when something had changed. */
function question(
  session: string,
  apply: Proposal,
  { reason, earlier }: { reason: string; earlier?: string },
): QuestionSpec {
  const anew = earlier
    ? `Asked anew, because something had changed between what Question ${earlier} showed and its yes. `
    : '';
  const over = apply.force ? ', and fields of other managers taken over' : '';
  const what = apply.objects.map(named).join(', ');
  return {
    session,
    kind: 'Apply',
    text: cut(
      `${anew}May the agent of Session ${session} have this applied${over}: ${what}? It says: ${reason}`,
      16_384,
    ),
    options: [
      { id: 'allow', text: 'Apply it', effect: 'Allow' },
      { id: 'deny', text: 'No', effect: 'Deny' },
    ],
    apply,
  };
}

type Outcome = { applied: string } | { changed: string } | { refusal: string };

/** Proposes the objects and tells what became of them. Throws `ToolRefusal` where they were not applied. */
export async function apply(
  asking: Asking,
  { input, namespace }: { input: ApplyInput; namespace: string },
  { session, signal, progress }: ToolContext,
): Promise<string> {
  const proposal = proposalOf(input, namespace);
  const { reason } = input;
  let earlier: string | undefined;
  for (let time = 1; time <= TIMES; time++) {
    const spec = question(session, proposal, { reason, ...(earlier !== undefined && { earlier }) });
    const content = ['apply', proposal, reason, earlier];
    const settled = await asking.ask({ content, spec: () => spec, signal, progress }, outcome);
    if ('applied' in settled) return settled.applied;
    if ('refusal' in settled) throw new ToolRefusal(settled.refusal);
    earlier = settled.changed;
  }
  throw new ToolRefusal(`Nothing was applied: it had changed ${TIMES} times between what was shown and the yes.`);
}

/**
 * Settled by a no, or once the yes was acted on. A Question that was overtaken by a change is found again after a kill,
 * and leads to the one that was asked anew.
 */
function outcome(asked: Stored<Question>, decision: Closed): Settled<Outcome> | undefined {
  const refused = (refusal: string) => ({ value: { refusal }, again: true });
  if (decision.state === 'expired') return refused('Nobody answered in time, so nothing was applied.');
  if (!decision.allowed) return refused(`Nothing was applied: ${decision.by?.username ?? 'somebody'} said no.`);
  const acted = findCondition(asked, 'Acted');
  if (!acted || acted.status === 'Unknown') return undefined;
  if (acted.status === 'True') return { value: { applied: acted.message }, again: true };
  if (acted.reason === 'Changed') return { value: { changed: asked.metadata.name }, again: false };
  return refused(`Not applied (${acted.reason}): ${acted.message}`);
}
