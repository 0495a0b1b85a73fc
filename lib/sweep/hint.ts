/** Hands one object to the function whose it is, as an event would: the function reads it and decides for itself. */

import { API_VERSION } from '../api/meta.ts';
import { type Subject, SWEEP_TYPE } from '../event/receive.ts';

export interface HintOptions {
  /** Where each kind's function is. */
  urls: Readonly<Record<string, string | undefined>>;
  fetch: typeof fetch;
  /** A new id a call. */
  id: () => string;
  signal: AbortSignal;
}

/** Resolves to whether the function took it; one that can't be reached did not, and the next pass tries again. */
export async function hint({ kind, namespace, name }: Subject, options: HintOptions): Promise<boolean> {
  const url = options.urls[kind];
  if (!url) return false;
  try {
    const { ok } = await options.fetch(url, {
      method: 'POST',
      headers: {
        'ce-id': options.id(),
        'ce-source': '/tiny/sweep',
        'ce-specversion': '1.0',
        'ce-type': SWEEP_TYPE,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ apiVersion: API_VERSION, kind, namespace, name }),
      signal: options.signal,
    });
    return ok;
  } catch {
    return false;
  }
}
