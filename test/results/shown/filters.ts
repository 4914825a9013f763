import { expect } from 'vitest';
import type { Cast } from './cast.ts';
import { type Ends, iso } from './read.ts';
import { allOf, type Row, type Rows } from './rows.ts';

type Filter = readonly [query: string, isIn: (row: Row) => boolean];

/** A filter of each list, alone or with another, finds the rows that match, page by page. */
export async function checkFilters(
  { app, partners, links, programIds }: Cast,
  rows: Rows,
  [from, to]: Ends,
  picks: readonly (readonly [number, number])[],
): Promise<void> {
  const is = (name: string, ...values: string[]): Filter[] =>
    values.map((value) => [`${name}=${value}`, (row) => row[name] === value]);
  const period: Filter[] = [];
  if (from !== null) period.push([`from=${iso(from)}`, ({ createdAt }) => Date.parse(createdAt) >= from]);
  if (to !== null) period.push([`to=${iso(to)}`, ({ createdAt }) => Date.parse(createdAt) < to]);
  const ofPartner: Filter[] = [
    ...is('partnerId', ...partners.map(({ id }) => id)),
    ...partners.map(({ id, tenantId }): Filter => [`tenantId=${tenantId}`, ({ partnerId }) => partnerId === id]),
  ];
  const ofProgram = programIds.map(
    (id): Filter => [`programId=${id}`, (row) => (row.programId ?? rows.programOf.get(row.partnerId)) === id],
  );
  const ofLink = is('linkId', ...links.map(({ id }) => id));
  const ofCurrency = is('currency', 'usd', 'jpy', 'kwd', 'eur');
  const customers = [
    ...new Set([...rows.sales, ...rows.leads].map(({ customer }) => customer.externalId as string | null)),
  ].filter((id) => id !== null);
  const ofCustomer = customers.map(
    (id): Filter => [`customerExternalId=${id}`, ({ customer }) => customer.externalId === id],
  );
  const lists: Record<string, [Row[], Filter[][]]> = {
    sales: [
      rows.sales,
      [
        period,
        ofPartner,
        ofProgram,
        ofLink,
        ofCurrency,
        ofCustomer,
        is('status', 'pending', 'approved', 'paid', 'refunded', 'disputed', 'rejected'),
        is('review', 'flagged', 'approved', 'rejected'),
        ['stripe', 'custom'].map(
          (name): Filter => [`processor=${name}`, ({ paymentProcessor }) => paymentProcessor === name],
        ),
      ],
    ],
    leads: [rows.leads, [period, ofPartner, ofLink, ofCustomer]],
    ledger: [
      rows.entries,
      [
        period,
        ofPartner,
        ofProgram,
        ofCurrency,
        is('kind', 'commission', 'reversal', 'dispute_hold', 'dispute_release', 'adjustment'),
      ],
    ],
    payouts: [
      rows.payouts,
      [period, ofPartner, ofProgram, ofCurrency, is('status', 'queued', 'processing', 'paid', 'failed', 'canceled')],
    ],
  };
  for (const [list, [all, groups]] of Object.entries(lists)) {
    const single = groups.flatMap((filters, group) => filters.map((filter) => ({ filter, group })));
    for (const [turn, [one, other]] of picks.entries()) {
      const [first, second] = [single[one % single.length], single[other % single.length]];
      if (first === undefined || second === undefined) continue;
      const filters = first.group === second.group || turn % 3 === 0 ? [first.filter] : [first.filter, second.filter];
      const query = filters.map(([text]) => text).join('&');
      const found = await allOf(app, `/api/${list}?${query}`, turn % 2 === 0 ? 2 : 100);
      const expected = all.filter((row) => filters.every(([, isOf]) => isOf(row)));
      expect({ list, query, found: idsOf(found) }).toEqual({ list, query, found: idsOf(expected) });
    }
  }
}

const idsOf = (rows: readonly Row[]) => rows.map(({ id }) => id);
