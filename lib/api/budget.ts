/**
 * What a Session may use, what it has used, and how far its agent says it is. Money is a decimal string with its
 * currency, and is counted in millionths, because sums of floating-point numbers are wrong in the end.
 */
import { z } from 'zod';

/** Digits after the point that are kept. */
const DECIMALS = 6;

const amount = () =>
  z
    .string()
    .min(1)
    .max(16)
    .regex(/^[0-9]{1,9}([.][0-9]{1,6})?$/, 'must be an amount such as 5 or 2.50, of at most six decimals');

const currency = () =>
  z
    .string()
    .min(2)
    .max(16)
    .regex(/^[A-Za-z]{2,16}$/, 'must be the code of a currency such as USD, or what the agent counts in');

export const money = z.object({
  amount: amount().describe('A decimal number.'),
  currency: currency().describe('ISO 4217, such as USD; or what else the agent counts in, such as credits.'),
});
export type Money = z.infer<typeof money>;

export const budget = z.object({
  tokens: z
    .int()
    .min(1)
    .max(1_000_000_000_000)
    .optional()
    .describe('Tokens that the model reads anew or writes; what it reads from its cache is not counted.'),
  cost: money.optional().describe('Money, where the agent reports a cost.'),
});
export type Budget = z.infer<typeof budget>;

const count = () => z.int().min(0).optional();

export const usage = z.object({
  inputTokens: count().describe('What the model has read anew, what it has written into its cache included.'),
  cachedTokens: count().describe('What the model has read from its cache.'),
  outputTokens: count().describe('What the model has written.'),
  turns: count().describe('How many turns have ended.'),
  cost: money.optional().describe('What it has cost, where the agent says so.'),
});
export type Usage = z.infer<typeof usage>;

export const plan = z.object({
  done: z.int().min(0).describe('How many steps are done.'),
  total: z.int().min(0).describe('How many steps there are.'),
  current: z.string().max(1024).optional().describe('The step that the agent is at.'),
});
export type Plan = z.infer<typeof plan>;

/** `amount` in millionths. */
export function toMillionths(amount: string): bigint {
  const [whole = '0', part = ''] = amount.split('.');
  return BigInt(whole) * 10n ** BigInt(DECIMALS) + BigInt(part.padEnd(DECIMALS, '0').slice(0, DECIMALS));
}

/** Millionths as an amount, without zeros at its end. */
export function fromMillionths(millionths: bigint): string {
  const digits = millionths.toString().padStart(DECIMALS + 1, '0');
  return `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`.replace(/[.]?0+$/, '');
}
