/**
 * Whether GitHub has sent a delivery: HMAC-SHA256 over the body as it came, in `X-Hub-Signature-256`
 * (https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries), compared in constant time by GitHub's
 * own package. Checked before anything of it is read.
 */
import { verify } from '@octokit/webhooks-methods';

const FORM = /^sha256=[0-9a-f]{64}$/;

/** The bytes as the text that was signed; `undefined` for bytes that are no UTF-8, which GitHub never sends. */
function textOf(body: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}

/** The body, where it was signed with one of the secrets; more than one while a secret is being changed. */
export async function signedText(
  body: Buffer,
  signature: string | undefined,
  secrets: readonly string[],
): Promise<string | undefined> {
  const text = textOf(body);
  if (!text || !signature || !FORM.test(signature)) return undefined;
  const known = secrets.filter((secret) => secret !== '');
  const verified = await Promise.all(known.map((secret) => verify(secret, text, signature)));
  return verified.includes(true) ? text : undefined;
}
