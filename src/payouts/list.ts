import { z } from 'zod';
import { optional, parseInput, text } from '../app/fields.ts';
import { type Page, pageFields, pageOf } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import { PAYOUT_STATUSES } from '../core/payout.ts';
import { isoTime, isoTimeOrNull } from '../core/time.ts';
import { notFound } from '../errors.ts';
import { findPayout, findPayouts, type PayoutView } from './queries/list.ts';

const payoutPageInput = z.object({
  ...pageFields('pay'),
  partnerId: optional(text()),
  status: optional(z.enum(PAYOUT_STATUSES)),
});

export type PayoutResource = ReturnType<typeof asPayout>;

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

/** A payout as it is answered. */
export function asPayout({ createdAt, processingAt, paidAt, endedAt, ...payout }: PayoutView) {
  return {
    ...payout,
    createdAt: isoTime(createdAt),
    processingAt: isoTimeOrNull(processingAt),
    paidAt: isoTimeOrNull(paidAt),
    endedAt: isoTimeOrNull(endedAt),
  };
}
