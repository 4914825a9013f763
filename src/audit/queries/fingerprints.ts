import type { AccountId } from '../../core/ids.ts';
import { UNDECIDED_DUE_AT } from '../../core/ledger.ts';
import { DAY_MS } from '../../core/time.ts';
import { dayOf, dueDayOf } from '../../storage/conditions/ledger-days.ts';
import type { Transaction } from '../../storage/database.ts';
import { IS_ASSIGNED_STRAY, LIVE_OF_ASSIGNED } from './payouts.ts';
import { COMMISSION_LEFT } from './results.ts';
import { IS_EARNED } from './running-sums.ts';

/**
 * Compares sums with the rows that they are of by one number for each side: every amount is multiplied by a weight that
 * depends on what it is summed by, and all is added up modulo a prime. Sums and rows that differ have the same number once
 * in a billion times, because the weights are made from random numbers; those that agree always have. The database adds up
 * a row in a third of the time that it takes to hand it over.
 */

/** The largest primes below 2^31: a product of two remainders fits into 64 bits. */
const PRIME = 2_147_483_647;
const OTHER_PRIME = 2_147_483_629;

const CURRENCY_PLACES = [0, 1, 2, 3, 4, 5, 6, 7];
/** As many currencies as a fingerprint can tell apart. */
export const FINGERPRINT_CURRENCIES = CURRENCY_PLACES.length;

/** Random numbers below 2^31: of owners, days, days when due, parts, columns, and what is known to one side only. */
export const SEEDS = [
  ...(['owner', 'shift', 'day', 'dueDay', 'part', 'second', 'third', 'fourth', 'strayStored', 'strayRow'] as const),
  ...CURRENCY_PLACES.map((place) => `seed${place}` as const),
] as const;

export type Seeds = Record<(typeof SEEDS)[number], number>;

export interface Weighted {
  accountId: AccountId;
  seeds: Seeds;
}

const seed = (name: keyof Seeds) => `CAST(@${name} AS BIGINT)`;
const remainder = (value: string) => `((${value}) % ${PRIME})`;
const product = (...factors: string[]) =>
  factors.slice(1).reduce((all, factor) => remainder(`${all} * ${remainder(factor)}`), remainder(factors[0] ?? '1'));
/** Squares of remainders by another prime are no polynomial, so that errors of neighboring days do not cancel out. */
const scattered = (number: string) => `(((${number}) % ${OTHER_PRIME}) * ((${number}) % ${OTHER_PRIME}) % ${PRIME})`;
const sumOf = (terms: string) => `CAST(COALESCE(SUM(${terms}), 0) % ${PRIME} AS BIGINT)`;

type Side = 'strayStored' | 'strayRow';

const currencyOf = (currency: string, side: Side) =>
  `CASE ${currency} ${CURRENCY_PLACES.map((place) => `WHEN @currency${place} THEN ${seed(`seed${place}`)}`).join(' ')}
    ELSE ${seed(side)} END`;

/** The account's partners, each with a weight. */
const OWNERS = `owners AS MATERIALIZED (
    SELECT g.id, ${scattered(`g.n * ${seed('owner')} + ${seed('shift')}`)} AS weight
    FROM (SELECT p.id, CAST(ROW_NUMBER() OVER (ORDER BY p.id) AS BIGINT) AS n
      FROM partners p WHERE p.account_id = @accountId) g)`;

const ownerOf = (side: Side) => `COALESCE(o.weight, ${seed(side)})`;

/** The weight of a currency, a day and the day when it is due. */
const ofDays = (days: { currency: string; day: string; dueDay: string }, side: Side) =>
  scattered(`${days.day} * ${seed('day')} + ${days.dueDay} * ${seed('dueDay')} + ${currencyOf(days.currency, side)}`);

const STORED_DAY = { currency: 'd.currency', day: 'd.day', dueDay: 'd.due_day' };
const entryDay = (dueAt: string, currency = 'e.currency') => ({
  currency,
  day: dayOf('e.created_at'),
  dueDay: dueDayOf('e.created_at', dueAt),
});
const ENTRY = product(`CASE WHEN ${IS_EARNED} THEN e.amount ELSE -${remainder('e.amount')} * ${seed('second')} END`);
const entryTerm = (dueAt: string) => product(ENTRY, ofDays(entryDay(dueAt), 'strayRow'), ownerOf('strayRow'));

const LEDGER = `WITH ${OWNERS}
  SELECT
    (SELECT ${sumOf(
      product(
        `${remainder('d.earned')} + ${remainder('d.reversed')} * ${seed('second')}`,
        ofDays(STORED_DAY, 'strayStored'),
        'o.weight',
      ),
    )} FROM owners o CROSS JOIN ledger_days d WHERE d.partner_id = o.id) AS stored,
    (SELECT ${sumOf(entryTerm('e.available_at'))}
      FROM ledger_entries e LEFT JOIN owners o ON o.id = e.partner_id WHERE e.account_id = @accountId AND e.id > '') AS "entries",
    (SELECT ${sumOf(`${entryTerm(String(UNDECIDED_DUE_AT))} - ${entryTerm('e.available_at')}`)}
      FROM sales s JOIN ledger_entries e ON e.sale_id = s.id LEFT JOIN owners o ON o.id = e.partner_id
      WHERE s.account_id = @accountId AND s.review = 'flagged') AS undecided`;

/** Whether the sums of earnings of all days are those of the entries, at one instant. */
export async function walkLedgerFingerprint(
  tx: Transaction,
  weighted: Weighted,
  currencies: readonly string[],
): Promise<boolean> {
  const sums = await tx.get<{ stored: number; entries: number; undecided: number }>(
    LEDGER,
    parametersOf(weighted, currencies),
  );
  return sums !== undefined && (sums.stored - sums.entries - sums.undecided) % PRIME === 0;
}

const IS_UNDER_WAY = "(p.status = 'processing' OR p.collecting_at IS NOT NULL)";
const IS_GIVING_BACK_QUEUED = "(p.status = 'queued' AND p.settling_after IS NOT NULL)";
/** Of the assigned entry, in the currency of its payout. */
const ASSIGNED_TERM = product('e.amount', ofDays(entryDay('e.available_at', 'p.currency'), 'strayRow'));
const EXPECTED_AMOUNT = "CASE WHEN p.status = 'queued' THEN p.collected_amount ELSE COALESCE(p.amount, 0) END";
const EXPECTED_COUNT = "CASE WHEN p.status = 'queued' THEN p.collected_count ELSE COALESCE(p.entry_count, 0) END";

const OF_EACH_PAYOUT = `
  SELECT p.partner_id, ${sumOf(ASSIGNED_TERM)} AS term,
    CASE WHEN ${IS_UNDER_WAY} THEN 1 WHEN p.status = 'paid' THEN 2 ELSE 0 END AS place,
    CASE WHEN NOT ${IS_GIVING_BACK_QUEUED} AND (COALESCE(SUM(e.amount), 0) <> ${EXPECTED_AMOUNT} OR COUNT(e.id) <> ${EXPECTED_COUNT})
      OR SUM(CASE WHEN a.entry_id IS NULL THEN 0 WHEN e.id IS NULL OR ${IS_ASSIGNED_STRAY} THEN 1
        WHEN a.live = ${LIVE_OF_ASSIGNED} THEN 0 ELSE 1 END) > 0 THEN 1 ELSE 0 END AS wrong,
    COALESCE((SELECT ${sumOf(
      product('d.amount', ofDays({ ...STORED_DAY, currency: 'p.currency' }, 'strayRow')),
    )} FROM payout_days d WHERE d.payout_id = p.id), 0) AS "ofDays"
  FROM payouts p
  LEFT JOIN payout_entries a ON a.payout_id = p.id
  LEFT JOIN ledger_entries e ON e.account_id = a.account_id AND e.id = a.entry_id
  WHERE p.account_id = @accountId AND p.id > ''
  GROUP BY p.account_id, p.id`;

const PAYOUTS = `WITH ${OWNERS},
  contents AS MATERIALIZED (${OF_EACH_PAYOUT})
  SELECT
    (SELECT ${sumOf(
      product(
        `${remainder('d.in_payouts')} + ${remainder('d.paid')} * ${seed('second')}`,
        ofDays(STORED_DAY, 'strayStored'),
        'o.weight',
      ),
    )} FROM owners o CROSS JOIN ledger_days d WHERE d.partner_id = o.id) AS stored,
    (SELECT ${sumOf(
      product(
        `CASE c.place WHEN 1 THEN c.term WHEN 2 THEN ${product('c.term', seed('second'))} ELSE 0 END`,
        ownerOf('strayRow'),
      ),
    )} FROM contents c LEFT JOIN owners o ON o.id = c.partner_id) AS "entries",
    (SELECT CAST(COALESCE(SUM(c.wrong + CASE WHEN (CASE c.place WHEN 1 THEN c.term ELSE 0 END - c."ofDays") % ${PRIME} = 0
      THEN 0 ELSE 1 END), 0) AS BIGINT) FROM contents c) AS wrong`;

/** Whether all payouts contain what they say, and the sums of what they contain are those of their entries. */
export async function walkPayoutFingerprint(
  tx: Transaction,
  weighted: Weighted,
  currencies: readonly string[],
): Promise<boolean> {
  const sums = await tx.get<{ stored: number; entries: number; wrong: number }>(
    PAYOUTS,
    parametersOf(weighted, currencies),
  );
  return sums !== undefined && sums.wrong === 0 && (sums.stored - sums.entries) % PRIME === 0;
}

/** The account's links, each with a number; sales without a link have 0. */
const LINKS = `parts AS MATERIALIZED (
    SELECT l.id, CAST(ROW_NUMBER() OVER (ORDER BY l.id) AS BIGINT) AS n FROM links l WHERE l.account_id = @accountId)`;

const ofResults = (row: { part: string; day: string; currency: string }, side: Side) =>
  product(
    scattered(
      `${row.day} * ${seed('day')} + ${currencyOf(row.currency, side)}
        + COALESCE(k.n, CASE WHEN ${row.part} = '' THEN 0 ELSE ${seed(side)} END) * ${seed('part')}`,
    ),
    ownerOf(side),
  );
const columnsOf = (leads: string, sales: string, revenue: string, commission: string) =>
  [
    leads,
    `${sales} * ${seed('second')}`,
    `${remainder(revenue)} * ${seed('third')} % ${PRIME}`,
    `${remainder(commission)} * ${seed('fourth')} % ${PRIME}`,
  ].join(' + ');
const IF_COUNTED = (value: string) => `CASE WHEN s.voided_reason IS NULL THEN ${value} ELSE 0 END`;

const RESULTS = `WITH ${OWNERS}, ${LINKS}
  SELECT
    (SELECT ${sumOf(
      product(
        columnsOf('r.leads', remainder('r.sales'), 'r.revenue', 'r.commission'),
        ofResults({ part: 'r.part', day: 'r.day', currency: 'r.currency' }, 'strayStored'),
      ),
    )} FROM owners o CROSS JOIN result_days r LEFT JOIN parts k ON k.id = r.part
      WHERE r.owner_id = o.id AND r.span = 1
        AND (r.leads <> 0 OR r.sales <> 0 OR r.revenue <> 0 OR r.commission <> 0)) AS stored,
    (SELECT ${sumOf(ofResults({ part: 'e.link_id', day: `e.created_at / ${DAY_MS}`, currency: "''" }, 'strayRow'))}
      FROM leads e LEFT JOIN owners o ON o.id = e.partner_id LEFT JOIN parts k ON k.id = e.link_id
      WHERE e.account_id = @accountId AND e.id > '') AS leads,
    (SELECT ${sumOf(
      product(
        columnsOf('0', IF_COUNTED('1'), IF_COUNTED('s.amount'), `CAST(${COMMISSION_LEFT} AS BIGINT)`),
        ofResults(
          { part: "COALESCE(s.link_id, '')", day: `s.created_at / ${DAY_MS}`, currency: 's.currency' },
          'strayRow',
        ),
      ),
    )} FROM sales s LEFT JOIN owners o ON o.id = s.partner_id LEFT JOIN parts k ON k.id = s.link_id
      WHERE s.account_id = @accountId AND s.id > '') AS sales`;

/** Whether the results per day of all partners are those of the leads and sales, at one instant. */
export async function walkResultFingerprint(
  tx: Transaction,
  weighted: Weighted,
  currencies: readonly string[],
): Promise<boolean> {
  const sums = await tx.get<{ stored: number; leads: number; sales: number }>(
    RESULTS,
    parametersOf(weighted, currencies),
  );
  return sums !== undefined && (sums.stored - sums.leads - sums.sales) % PRIME === 0;
}

/** The currencies of the account's payouts, of which one is queued for each in which a partner ever earned. */
export function walkPayoutCurrencies(tx: Transaction, accountId: AccountId) {
  return tx.all<{ currency: string }>(
    'SELECT DISTINCT p.currency FROM payouts p WHERE p.account_id = @accountId ORDER BY p.currency',
    { accountId },
  );
}

/** Rows of any other currency than these, at most `FINGERPRINT_CURRENCIES`, make the sides differ. */
function parametersOf({ accountId, seeds }: Weighted, currencies: readonly string[]) {
  const byPlace = CURRENCY_PLACES.map((place) => [`currency${place}`, currencies[place] ?? null]);
  return { accountId, ...seeds, ...Object.fromEntries(byPlace) };
}
