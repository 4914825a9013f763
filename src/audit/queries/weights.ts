import type { AccountId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

/**
 * Compares sums with the rows that they count by one number for each side, its fingerprint: every amount is multiplied
 * by a weight that depends on what it is summed by, and everything is added up modulo a prime. Sides that agree always
 * have the same fingerprint. Sides that differ have it once in several hundred million runs, because the weights come
 * from random numbers. The database adds up a row in a third of the time that it takes to hand it over.
 */

/** The largest primes below 2^31: a product of two remainders fits into 64 bits. */
export const PRIME = 2_147_483_647;
const OTHER_PRIME = 2_147_483_629;

const CURRENCY_PLACES = [0, 1, 2, 3, 4, 5, 6, 7];
/** As many currencies as a fingerprint can tell apart. */
export const FINGERPRINT_CURRENCIES = CURRENCY_PLACES.length;

/**
 * Random numbers below 2^31 for owners, payouts, programs, days, due days, parts, columns, and what only one side
 * knows.
 */
export const SEEDS = [
  ...(['owner', 'shift', 'payout', 'program', 'day', 'dueDay', 'part'] as const),
  ...(['second', 'third', 'fourth', 'fifth', 'strayStored', 'strayRow'] as const),
  ...CURRENCY_PLACES.map((place) => `seed${place}` as const),
] as const;

export type Seeds = Record<(typeof SEEDS)[number], number>;

/** What all statements of one comparison have in common. */
export interface Weighted {
  accountId: AccountId;
  seeds: Seeds;
  /** At most `FINGERPRINT_CURRENCIES`; rows of any other one make the sides differ. */
  currencies: readonly string[];
}

export const seed = (name: keyof Seeds) => `CAST(@${name} AS BIGINT)`;
export const remainder = (value: string) => `((${value}) % ${PRIME})`;
/** The product of remainders. */
export const times = (...factors: string[]) => factors.reduce((all, factor) => remainder(`${all} * ${factor}`));
export const otherRemainder = (number: string) => `((${number}) % ${OTHER_PRIME})`;
export const squareOf = (rest: string) => `(${rest} * ${rest} % ${PRIME})`;
/**
 * The square of the remainder by another prime is not a polynomial, so errors on neighboring days do not cancel out.
 */
export const scattered = (number: string) => squareOf(otherRemainder(number));
/** A number that depends on another one and on texts, by PostgreSQL's own hash. */
export const hashOf = (number: string, ...texts: string[]) =>
  remainder(texts.reduce((hash, text) => `hashtextextended(${text}, ${hash})`, number));
/** At the end of a query in a FROM clause: both engines then compute its columns once, and not wherever they are used. */
export const COMPUTED_ONCE = `LIMIT ${Number.MAX_SAFE_INTEGER}`;
export const sumOf = (terms: string) => `CAST(COALESCE(SUM(${terms}), 0) % ${PRIME} AS BIGINT)`;
export const countOf = (condition: string) =>
  `CAST(COALESCE(SUM(CASE WHEN ${condition} THEN 1 ELSE 0 END), 0) AS BIGINT)`;

export type Side = 'strayStored' | 'strayRow';

export const currencyOf = (currency: string, side: Side) =>
  `CASE ${currency} ${CURRENCY_PLACES.map((place) => `WHEN @currency${place} THEN ${seed(`seed${place}`)}`).join(' ')}
    ELSE ${seed(side)} END`;

/** The account's partners, each with a weight. */
export const OWNERS = `owners AS MATERIALIZED (
    SELECT g.id, ${scattered(`g.n * ${seed('owner')} + ${seed('shift')}`)} AS weight
    FROM (SELECT p.id, CAST(ROW_NUMBER() OVER (ORDER BY p.id) AS BIGINT) AS n
      FROM partners p WHERE p.account_id = @accountId) g)`;

export const ownerOf = (side: Side) => `COALESCE(o.weight, ${seed(side)})`;

export function parametersOf({ accountId, seeds, currencies }: Weighted) {
  const byPlace = CURRENCY_PLACES.map((place) => [`currency${place}`, currencies[place] ?? null]);
  return { accountId, ...seeds, ...Object.fromEntries(byPlace) };
}

/**
 * The currencies of the account's payouts: all in which a partner ever earned, because each of them has a queued
 * payout.
 */
export function walkPayoutCurrencies(tx: Transaction, accountId: AccountId) {
  return tx.all<{ currency: string }>(
    'SELECT DISTINCT p.currency FROM payouts p WHERE p.account_id = @accountId ORDER BY p.currency',
    { accountId },
  );
}
