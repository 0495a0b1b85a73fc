/** JSON merge patch (RFC 7386): what the patch names is set, `null` removes, a list is replaced whole. */

type Json = Record<string, unknown>;

/** `target` with the patch applied; neither is changed. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch;
  const result: Json = isMap(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}

/** Whether the value is a JSON object. */
export const isMap = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
