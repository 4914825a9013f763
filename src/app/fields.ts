import { z } from 'zod';
import { AMOUNT_MAX, parseCurrency } from '../core/money.ts';
import { PAYMENT_PROCESSORS } from '../core/processor.ts';
import { type Problem, validationError } from '../errors.ts';

/** Text that every database stores: no NUL, no lone surrogate. Trimmed; 1 to `max` characters. */
export function text(max = 255) {
  return z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(max, `must have at most ${max} characters`)
    .refine(isStorable, 'must not contain NUL or broken Unicode');
}

/** Text that may be empty and may have several lines. */
export function freeText(max: number) {
  return z
    .string()
    .trim()
    .max(max, `must have at most ${max} characters`)
    .refine(isStorable, 'must not contain NUL or broken Unicode');
}

/** An optional field may be absent or `null`; both become null. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? null);
}

/** An optional field that becomes `value` where it is absent or `null`. */
export function withDefault<Schema extends z.ZodType>(schema: Schema, value: z.output<Schema>) {
  return schema.nullish().transform((given): z.output<Schema> => given ?? value);
}

export const emailField = text().refine((value) => /^[^\s@]+@[^\s@]+$/.test(value), 'must be an e-mail address');

export const httpUrlField = text(2048).refine(isHttpUrl, 'must be an absolute http or https URL');

export const amountField = z
  .number()
  .refine(Number.isSafeInteger, 'must be a whole number: the amount in the smallest currency unit')
  .refine((value) => value >= 0, 'must not be negative')
  .refine((value) => value <= AMOUNT_MAX, `must be at most ${AMOUNT_MAX}`)
  // −0 is zero
  .transform((value) => value + 0);

export const currencyField = z.string().transform((value, context) => {
  const currency = parseCurrency(value.trim());
  if (currency !== null) return currency;
  context.addIssue({ code: 'custom', message: 'must be an ISO 4217 currency code, for example "usd"' });
  return z.NEVER;
});

export const paymentProcessorField = z.enum(PAYMENT_PROCESSORS, {
  message: `must be one of ${PAYMENT_PROCESSORS.join(', ')}`,
});

const METADATA_KEYS_MAX = 50;
const METADATA_DEPTH_MAX = 5;
const METADATA_CHARACTERS_MAX = 10_000;
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/** A JSON object of at most 50 keys in all, 5 levels, 10,000 characters; checked without recursion, whatever comes. */
export const metadataField = z.custom<Record<string, unknown>>().superRefine((value, context) => {
  const problem = metadataProblem(value);
  if (problem !== null) context.addIssue({ code: 'custom', message: problem });
});

function metadataProblem(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be an object';
  const waiting: { node: object; depth: number }[] = [{ node: value, depth: 1 }];
  let keys = 0;
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (next.depth > METADATA_DEPTH_MAX) return `must not be nested deeper than ${METADATA_DEPTH_MAX} levels`;
    for (const [key, child] of Object.entries(next.node)) {
      if (!Array.isArray(next.node)) {
        if (FORBIDDEN_KEYS.has(key)) return `must not have a key ${key}`;
        if (++keys > METADATA_KEYS_MAX) return `must have at most ${METADATA_KEYS_MAX} keys`;
      }
      if (typeof child === 'object' && child !== null) waiting.push({ node: child, depth: next.depth + 1 });
    }
  }
  if (JSON.stringify(value).length > METADATA_CHARACTERS_MAX) {
    return `must have at most ${METADATA_CHARACTERS_MAX} characters as JSON`;
  }
  return null;
}

/**
 * The input as its schema makes it; unknown members are dropped.
 *
 * @throws ServiceError `VALIDATION_ERROR` with every problem at once
 */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw validationError([{ path: '', message: 'The body must be a JSON object' }]);
  }
  const result = schema.safeParse(input, { reportInput: true });
  if (result.success) return result.data;
  throw validationError(result.error.issues.map(asProblem));
}

function asProblem(issue: z.core.$ZodIssue): Problem {
  const path = issue.path.map(String).join('.');
  if (issue.code === 'invalid_type' && issue.input === undefined) return { path, message: 'is required' };
  if (issue.code === 'invalid_type') {
    const expected = issue.expected === 'record' ? 'object' : issue.expected;
    return { path, message: `must be ${/^[aeio]/.test(expected) ? 'an' : 'a'} ${expected}` };
  }
  return { path, message: issue.message };
}

function isStorable(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed();
}

function isHttpUrl(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:');
}
