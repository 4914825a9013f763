import { z } from 'zod';
import { decimalToMinor, parseCurrency } from '../../core/money.ts';
import { withZone } from '../../core/time.ts';
import { ServiceError } from '../../errors.ts';
import { parseInput } from '../../schema/parse.ts';
import { refused } from '../manifest.ts';
import type { MovedProgram, MovedStatus, SourceItem } from '../moved/facts.ts';
import type { Query } from './client.ts';

/** The pages of a list, one record at a time. `next` returns the query of the following page; null after the last. */
export async function* recordsOf(
  first: Query,
  read: (query: Query) => Promise<unknown>,
  pageOf: (answer: unknown, query: Query) => Page,
): AsyncGenerator<unknown> {
  for (let query: Query | null = first; query !== null; ) {
    const { rows, next }: Page = pageOf(await read(query), query);
    yield* rows;
    query = next;
  }
}

interface Page {
  rows: readonly unknown[];
  next: Query | null;
}

/**
 * What a pure function makes of each record. A record that it refuses is reported with the reason, and the others
 * continue.
 */
export async function* itemsOf(
  what: string,
  records: AsyncIterable<unknown> | Iterable<unknown>,
  map: (record: unknown) => readonly SourceItem[],
): AsyncGenerator<SourceItem> {
  for await (const record of records) {
    let items: readonly SourceItem[];
    try {
      items = map(record);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      items = [{ kind: 'refused', what, id: idIn(record), reason: error.message }];
    }
    yield* items;
  }
}

function idIn(record: unknown): string {
  const { id, key } = z.looseObject({}).safeParse(record).data ?? {};
  const found = id ?? key;
  return typeof found === 'string' || typeof found === 'number' ? String(found) : '';
}

/** The list in an answer. @throws ServiceError `VALIDATION_ERROR` when it contains none */
export function listIn(answer: unknown, ...members: string[]): readonly unknown[] {
  let found = answer;
  for (const member of members) found = z.looseObject({}).safeParse(found).data?.[member];
  if (Array.isArray(found)) return found;
  throw refused(`An answer has no list${members.length === 0 ? '' : ` in ${members.join('.')}`}: has the API changed?`);
}

/** A text, or a number as text: ids are either. */
export const idField = z.union([z.string().min(1), z.number().int()]).transform(String);
export const textOrNull = z
  .string()
  .nullish()
  .transform((text) => text?.trim() || null);
export const idOrNull = idField.nullish().transform((id) => id ?? null);

/** A whole number of minor units; also as text, which some APIs send. */
export const minorField = z
  .union([z.number(), z.string().regex(/^-?\d+(\.0+)?$/, 'must be a whole number of cents')])
  .transform(Number)
  .refine(Number.isSafeInteger, 'must be a whole number of cents');

export const currencyIn = z
  .string()
  .refine((text) => parseCurrency(text.trim()) !== null, 'is not an ISO 4217 currency code')
  .transform((text) => parseCurrency(text.trim()) ?? text);

const withCurrency = z.object({ currency: currencyIn });

/** The currency that the importer has given for amounts without one. @throws ServiceError `VALIDATION_ERROR` */
export function givenCurrency(currency: string): string {
  return parseInput(withCurrency, { currency }).currency;
}

/** A time of ISO 8601, UTC where it names no zone, or epoch milliseconds, as epoch milliseconds. */
export const timeField = z
  .union([z.string(), z.number()])
  .transform((time) =>
    typeof time === 'number' ? time : Date.parse(/^\d{4}-\d{2}-\d{2}T/.test(time) ? withZone(time) : ''),
  )
  .refine((time) => Number.isSafeInteger(time) && time >= 0, 'is not an ISO 8601 time');
export const timeOrNull = timeField.nullish().transform((time) => time ?? null);

/** @throws ServiceError `VALIDATION_ERROR` for a status that the list does not name */
export function statusIn(statuses: Readonly<Record<string, MovedStatus>>, status: string): MovedStatus {
  const found = Object.hasOwn(statuses, status) ? statuses[status] : undefined;
  if (found !== undefined) return found;
  throw refused(`Its status ${JSON.stringify(status)} is not known here: see what it means, and enter it by hand`);
}

/** Percent as a number or text in basis points. @throws ServiceError `VALIDATION_ERROR` beyond two decimals or 100 */
export function basisPointsOf(percent: number | string): number {
  const exact = decimalToMinor(String(percent), 4);
  if (exact !== null && exact >= 0 && exact % 100 === 0 && exact <= 1_000_000) return exact / 100;
  throw refused(`Its commission of ${percent} % cannot be kept here: percentages have at most two decimals`);
}

/** The destination without the parameters that name a link, which the click id replaces. Null for what is not an http URL. */
export function destinationOf(url: string, viaParameters: readonly string[]): string | null {
  if (!URL.canParse(url)) return null;
  const destination = new URL(url);
  for (const name of viaParameters) destination.searchParams.delete(name);
  return /^https?:$/.test(destination.protocol) ? destination.href : null;
}

/** The parts of a name that are known, with spaces between them; '' without any. */
export function joinName(...parts: readonly (string | null | undefined)[]): string {
  return parts.filter((part) => part != null).join(' ');
}

/** The payout that a commission is in. */
export interface PayoutOfCommission {
  id: string;
  /** Null while it is being paid. */
  paidAt: number | null;
}

/** A single program for all partners, for products that do not say what their own programs pay. */
export const oneProgram = (name: string, viaParameters: readonly string[], id = 'company'): MovedProgram => ({
  kind: 'program',
  id,
  name,
  commission: null,
  durationMonths: null,
  holdDays: null,
  minimumPayout: {},
  viaParameters,
});

/** Of a customer whose referral has ended at the source. A customer who is here stays with the partner. */
export const EARNS_NO_MORE = 'later payments earn nothing, unless an earlier import brought it while it was active';
