/**
 * A Question that is answered stays as it is until it is acted on: when the answer came, and so whether it came in time,
 * its managed fields say, which whoever may update it could rewrite.
 */
import { isDeepStrictEqual } from 'node:util';
import { findCondition } from '../../lib/api/conditions.ts';
import type { ManagedFieldsEntry } from '../../lib/api/meta.ts';
import type { Question } from '../../lib/api/question.ts';
import { CONDITION } from '../../lib/question/status.ts';
import type { Stored } from '../types.ts';
import { type AdmissionRequest, refuse } from './request.ts';

/** What `tiny touch` sets. */
const TOUCHED = 'tiny.dev/touched';
const WAITS = 'this Question is answered and not yet acted on: until it is,';

/**
 * The object as it may be stored; a write that changes nothing leaves the managed fields as they were. Throws 403 where
 * what is answered would change, or the time of its answer. Of the spec, the schema keeps both.
 */
export function holdAnswered(request: AdmissionRequest): Stored {
  const { operation, resource, object, old } = request;
  if (operation !== 'UPDATE' || resource.plural !== 'questions' || !old || !waits(old)) return object;
  if (!isDeepStrictEqual(object.spec, old.spec)) return object;
  if (!isDeepStrictEqual(content(object), content(old))) {
    throw refuse(request, `${WAITS} nothing of it changes but the annotation ${TOUCHED}, which \`tiny touch\` sets`);
  }
  if (object.metadata.annotations?.[TOUCHED] === old.metadata.annotations?.[TOUCHED]) {
    return { ...object, metadata: old.metadata };
  }
  if (isDeepStrictEqual(times(object), times(old))) return object;
  throw refuse(request, `${WAITS} managedFields keep saying who answered, and when; use \`tiny touch\``);
}

function waits(question: Stored): boolean {
  const { spec, metadata } = question as unknown as Question;
  if (spec?.answer === undefined || metadata.deletionTimestamp) return false;
  return !findCondition(question as unknown as Question, CONDITION.acted);
}

/** What a person could change, the spec aside. */
function content({ metadata }: Stored): object {
  const { resourceVersion: _, generation: __, managedFields: ___, annotations = {}, ...rest } = metadata;
  const { [TOUCHED]: ____, ...others } = annotations;
  return { ...rest, annotations: others };
}

/** Who has set the answer, and when. */
const times = ({ metadata }: Stored): unknown[] =>
  (metadata.managedFields ?? []).filter(setsAnswer).map(({ manager, operation, time }) => [manager, operation, time]);

const setsAnswer = ({ fieldsV1 }: ManagedFieldsEntry): boolean =>
  'f:answer' in ((fieldsV1?.['f:spec'] ?? {}) as object);
