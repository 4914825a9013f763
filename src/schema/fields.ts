import { z } from 'zod';
import { AMOUNT_MAX, parseCurrency } from '../core/money.ts';
import { PAYMENT_PROCESSORS } from '../core/processor.ts';
import { isLongerThan } from '../core/text-length.ts';

/**
 * Text that both engines can store: no NUL, no lone surrogate. Trimmed; 1 to `max` characters. A longer one is checked no
 * further, because a pattern may take seconds for what fits into a body.
 */
export function text(max = 255) {
  return z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(max, { error: `must have at most ${max} characters`, abort: true })
    .refine(isStorable, 'must not contain NUL or malformed Unicode');
}

/** Text that may be empty or have several lines. */
export function freeText(max: number) {
  return z
    .string()
    .trim()
    .max(max, `must have at most ${max} characters`)
    .refine(isStorable, 'must not contain NUL or malformed Unicode');
}

/** An optional field may be absent or `null`; both become null. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? null);
}

/** An optional field that becomes `value` when it is absent or `null`. */
export function withDefault<Schema extends z.ZodType>(schema: Schema, value: z.output<Schema>) {
  return schema
    .nullish()
    .meta({ default: value })
    .transform((input): z.output<Schema> => input ?? value);
}

/** As `schema`, except that an empty or blank text counts as absent: forms and templates send that for no value. */
export function unlessBlank<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((input) => (typeof input === 'string' && input.trim() === '' ? null : input), schema);
}

/** A text that may be absent, blank or unusable; the caller of the schema judges its content. */
export function looseText(meta: { format?: string; examples?: string[] } = {}) {
  return unlessBlank(optional(z.string().trim().meta(meta)));
}

export const emailField = text()
  .refine((value) => /^[^\s@]+@[^\s@]+$/.test(value), 'must be an e-mail address')
  .meta({ format: 'email', examples: ['ana@example.com'] });

export const httpUrlField = text(2048)
  .refine(isHttpUrl, 'must be an absolute http or https URL')
  .meta({ format: 'uri' });

export const amountField = z
  .number()
  .refine(Number.isSafeInteger, 'must be a whole number: the amount in the smallest currency unit')
  .refine((value) => value >= 0, 'must not be negative')
  .refine((value) => value <= AMOUNT_MAX, `must be at most ${AMOUNT_MAX}`)
  // −0 is zero
  .overwrite((value) => value + 0)
  .meta({
    type: 'integer',
    minimum: 0,
    maximum: AMOUNT_MAX,
    description: 'In the smallest unit of the currency: 1999 is $19.99.',
    examples: [1999],
  });

export const currencyField = z
  .string()
  .refine((value) => parseCurrency(value.trim()) !== null, 'must be an ISO 4217 currency code, for example "usd"')
  .overwrite((value) => parseCurrency(value.trim()) ?? value)
  .meta({ description: 'ISO 4217, in upper or lower case.', examples: ['usd'] });

export const paymentProcessorField = z.enum(PAYMENT_PROCESSORS);

const METADATA_KEYS_MAX = 50;
const METADATA_DEPTH_MAX = 5;
const METADATA_CHARACTERS_MAX = 10_000;
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * A JSON object of at most 50 keys in total, 5 levels and 10,000 characters; checked without recursion, so that any
 * depth is safe.
 */
export const metadataField = z
  .unknown()
  .superRefine((value, context) => {
    const problem = metadataProblem(value);
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  })
  .meta({
    type: 'object',
    additionalProperties: true,
    description:
      `A JSON object of your own: at most ${METADATA_KEYS_MAX} keys, ${METADATA_DEPTH_MAX} levels and ` +
      `${METADATA_CHARACTERS_MAX} characters.`,
    examples: [{ plan: 'pro' }],
  }) as z.ZodType<Record<string, unknown>, Record<string, unknown>>;

function metadataProblem(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be an object';
  const pending: { node: object; depth: number }[] = [{ node: value, depth: 1 }];
  let keys = 0;
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (next.depth > METADATA_DEPTH_MAX) return `must not be nested deeper than ${METADATA_DEPTH_MAX} levels`;
    for (const [key, child] of Object.entries(next.node)) {
      if (!Array.isArray(next.node)) {
        if (FORBIDDEN_KEYS.has(key)) return `must not have a key ${key}`;
        if (++keys > METADATA_KEYS_MAX) return `must have at most ${METADATA_KEYS_MAX} keys`;
      }
      if (typeof child === 'object' && child !== null) pending.push({ node: child, depth: next.depth + 1 });
    }
  }
  if (isLongerThan(JSON.stringify(value), METADATA_CHARACTERS_MAX)) {
    return `must have at most ${METADATA_CHARACTERS_MAX} characters as JSON`;
  }
  return null;
}

function isStorable(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed();
}

function isHttpUrl(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:');
}
