/** Readers for values that a merchant or a processor wrote. They never guess and never throw. */

import type { CustomerHints, Hint } from '../../src/core/facts.ts';
import { isLongerThan } from '../../src/core/text-length.ts';

/** The metadata field that carries the caller's own customer id. */
export const EXTERNAL_ID_FIELD = 'svcCustomerExternalId';

/** The parameter and metadata field that carries a click id. */
export const CLICK_ID_FIELD = 'svc_id';

const TEXT_MAX = 255;

/**
 * Reads a text or number as trimmed text of 1–255 characters. Null for anything else, including the words `null` and
 * `undefined`, which templates leave behind, and text that the engines cannot store (NUL, lone surrogates).
 */
export function readText(value: unknown): string | null {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value !== 'string') return null;
  const text = value.trim();
  if (text === '' || isLongerThan(text, TEXT_MAX) || text === 'null' || text === 'undefined') return null;
  return text.includes('\0') || !text.isWellFormed() ? null : text;
}

/** A trimmed, lower-case e-mail address; null without an `@`. */
export function readEmail(value: unknown): string | null {
  const text = readText(value)?.toLowerCase() ?? null;
  return text?.includes('@') ? text : null;
}

/** Reads one own property of a metadata map. */
export function readField(metadata: unknown, field: string): string | null {
  if (typeof metadata !== 'object' || metadata === null || !Object.hasOwn(metadata, field)) return null;
  return readText((metadata as Record<string, unknown>)[field]);
}

/** A metadata map and its path in the payload. */
export interface MetadataPlace {
  place: string;
  metadata: unknown;
}

/** Reads both fields from several maps, in order. A repeated value keeps only its first place. */
export function readMetadata(places: readonly MetadataPlace[]): Pick<CustomerHints, 'externalIds' | 'clickIds'> {
  return { externalIds: hintsIn(places, EXTERNAL_ID_FIELD), clickIds: hintsIn(places, CLICK_ID_FIELD) };
}

/** Reads one field from several maps, in order. A repeated value keeps only its first place. */
export function hintsIn(places: readonly MetadataPlace[], field: string): Hint[] {
  const hints: Hint[] = [];
  for (const { place, metadata } of places) {
    const value = readField(metadata, field);
    if (value !== null && !hints.some((hint) => hint.value === value))
      hints.push({ value, place: `${place}.${field}` });
  }
  return hints;
}

/** Removes nulls, empty texts and duplicates, and keeps the order. For the references of a payment. */
export function distinct(values: readonly (string | null | undefined)[]): string[] {
  return [...new Set(values.filter((value): value is string => typeof value === 'string' && value !== ''))];
}

/** Empty hints, to spread from. */
export const NO_HINTS: CustomerHints = {
  externalIds: [],
  clickIds: [],
  processorCustomerId: null,
  subscriptionId: null,
  email: null,
  name: null,
};
