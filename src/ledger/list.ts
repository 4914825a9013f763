import { z } from 'zod';
import { optional, parseInput, text } from '../app/fields.ts';
import { type Page, pageFields, pageOf } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import { PAYOUT_STATUSES } from '../core/payout.ts';
import { notFound } from '../errors.ts';
import { type EntryView, findEntries, findPayout, findPayouts, type PayoutView } from './queries/list.ts';

const ledgerPageInput = z.object({
  ...pageFields('ent'),
  partnerId: optional(text()),
  saleId: optional(text()),
  payoutId: optional(text()),
});

const payoutPageInput = z.object({
  ...pageFields('pay'),
  partnerId: optional(text()),
  status: optional(z.enum(PAYOUT_STATUSES)),
});

export type EntryResource = ReturnType<typeof asEntry>;
export type PayoutResource = ReturnType<typeof asPayout>;

/** The newest first. Filters: `partnerId saleId payoutId`. */
export function listLedger(service: Service, accountId: string, query: unknown): Promise<Page<EntryResource>> {
  const { limit, cursor, ...filters } = parseInput(ledgerPageInput, query);
  return service.database.read((tx) =>
    pageOf({ limit, cursor }, (bounds) => findEntries(tx, accountId, filters, bounds), asEntry),
  );
}

/** The newest first. Filters: `partnerId status`. */
export function listPayouts(service: Service, accountId: string, query: unknown): Promise<Page<PayoutResource>> {
  const { limit, cursor, ...filters } = parseInput(payoutPageInput, query);
  return service.database.read((tx) =>
    pageOf({ limit, cursor }, (bounds) => findPayouts(tx, accountId, filters, bounds), asPayout),
  );
}

/** @throws ServiceError `NOT_FOUND` */
export async function getPayout(service: Service, accountId: string, id: string): Promise<PayoutResource> {
  const payout = await service.database.read((tx) => findPayout(tx, accountId, id));
  if (!payout) throw notFound('payout', id);
  return asPayout(payout);
}

/** A ledger entry as it is answered. */
export function asEntry({ availableAt, createdAt, ...entry }: EntryView) {
  return {
    ...entry,
    availableAt: new Date(availableAt).toISOString(),
    createdAt: new Date(createdAt).toISOString(),
  };
}

/** A payout as it is answered. */
export function asPayout({ createdAt, processingAt, paidAt, endedAt, ...payout }: PayoutView) {
  return {
    ...payout,
    createdAt: new Date(createdAt).toISOString(),
    processingAt: asTime(processingAt),
    paidAt: asTime(paidAt),
    endedAt: asTime(endedAt),
  };
}

function asTime(epochMs: number | null): string | null {
  return epochMs === null ? null : new Date(epochMs).toISOString();
}
