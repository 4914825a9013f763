/** How adapters read values that a merchant or a processor wrote: never a guess, never an exception. */

import type { CustomerHints, Hint } from '../../src/core/facts.ts';

/** The metadata field that carries the caller's own customer id (specification, section 1). */
export const EXTERNAL_ID_FIELD = 'svcCustomerExternalId';

/** The parameter and metadata field that carries a click id. */
export const CLICK_ID_FIELD = 'svc_id';

const TEXT_MAX = 255;

/**
 * A text or number of a payload as trimmed text of 1–255 characters; null for anything else, also for the words
 * `null` and `undefined`, which templates leave behind, and for text that no database stores (NUL, lone surrogates).
 */
export function readText(value: unknown): string | null {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value !== 'string') return null;
  const text = value.trim();
  if (text === '' || text.length > TEXT_MAX || text === 'null' || text === 'undefined') return null;
  return text.includes('\0') || !text.isWellFormed() ? null : text;
}

/** An e-mail address as it is compared: trimmed and lower-cased; null without an `@`. */
export function readEmail(value: unknown): string | null {
  const text = readText(value)?.toLowerCase() ?? null;
  return text?.includes('@') ? text : null;
}

/** Reads one key of a metadata map, own properties only. */
export function readField(metadata: unknown, field: string): string | null {
  if (typeof metadata !== 'object' || metadata === null || !Object.hasOwn(metadata, field)) return null;
  return readText((metadata as Record<string, unknown>)[field]);
}

/** A metadata map and where it stood in the payload. */
export interface MetadataPlace {
  place: string;
  metadata: unknown;
}

/** Both fields out of several maps, in the given order; a value is listed once, at its first place. */
export function readMetadata(places: readonly MetadataPlace[]): Pick<CustomerHints, 'externalIds' | 'clickIds'> {
  return { externalIds: hintsIn(places, EXTERNAL_ID_FIELD), clickIds: hintsIn(places, CLICK_ID_FIELD) };
}

function hintsIn(places: readonly MetadataPlace[], field: string): Hint[] {
  const hints: Hint[] = [];
  for (const { place, metadata } of places) {
    const value = readField(metadata, field);
    if (value !== null && !hints.some((hint) => hint.value === value))
      hints.push({ value, place: `${place}.${field}` });
  }
  return hints;
}

/** Without nulls and repeats, order kept: for the references of a payment. */
export function distinct(values: readonly (string | null | undefined)[]): string[] {
  return [...new Set(values.filter((value): value is string => typeof value === 'string' && value !== ''))];
}

/** Hints of nobody, to spread from. */
export const NO_HINTS: CustomerHints = {
  externalIds: [],
  clickIds: [],
  processorCustomerId: null,
  subscriptionId: null,
  email: null,
  name: null,
};
