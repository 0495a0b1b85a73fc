/** Whether the resources are defined as this version of tiny knows them. Pure. */
import type { KubeObject } from '../../lib/api/meta.ts';
import type { Finding } from './finding.ts';
import type { System } from './observed.ts';

type Json = Record<string, unknown>;
type Definition = KubeObject & {
  spec?: Json;
  status?: { conditions?: { type: string; status: string; message?: string }[] };
};

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** The paths of what `expected` has and `live` has not; what a server adds by itself is no difference. */
export function lacking(expected: unknown, live: unknown, path = ''): string[] {
  if (!isObject(expected)) return expected === live ? [] : [path];
  const have = isObject(live) ? live : {};
  return Object.entries(expected).flatMap(([key, value]) => lacking(value, have[key], path ? `${path}.${key}` : key));
}

const WHY = 'A Session is not understood, or parts of it are dropped in silence.';

function checkOne(expected: Definition, live: Definition | undefined): Finding[] {
  const { name } = expected.metadata;
  const finding = (reason: string, what: string): Finding[] => [
    { severity: 'error', reason, object: `CustomResourceDefinition ${name}`, what, why: WHY, fix: 'tiny install' },
  ];
  if (!live) return finding('DefinitionMissing', 'is not there');
  const established = live.status?.conditions?.find(({ type }) => type === 'Established');
  if (established?.status !== 'True')
    return finding('DefinitionNotServed', `is not served: ${established?.message ?? 'not established'}`);
  const older = lacking(expected.spec, live.spec);
  if (older.length)
    return finding('DefinitionOld', `is of another version of tiny: ${older.length} fields differ (${older[0]})`);
  return [];
}

/** Missing, not served, or of another version. */
export function checkResources({ definitions, expected }: System): Finding[] {
  if ('hidden' in definitions) return [];
  return expected.definitions.flatMap((one) =>
    checkOne(
      one,
      definitions.value.find(({ metadata }) => metadata.name === one.metadata.name),
    ),
  );
}
