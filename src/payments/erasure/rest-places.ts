import { extendScan, type findScan } from '../../app/scans.ts';
import type { AccountId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import type { SalePlace } from '../queries/erasure.ts';

/** The job that erases what the first unit of work of an erasure leaves. Its position is a list of places, one a line. */
export const REST_JOB = 'erase the rest';

/** The parked payments that are marked to be erased (`queries/parked-to-erase.ts`). */
export const PARKED = 'parked payments';

/** What is left: sales of a customer, or parked payments. */
export type RestPlace = SalePlace | typeof PARKED;

/** What owns a place: of several places of a customer, one says everything. */
export type RestOwner = string;

function ownerOf(place: RestPlace): RestOwner {
  return place === PARKED ? PARKED : place.customerId;
}

/** Adds places to what is left; null for nothing. */
export async function extendRest(
  tx: Transaction,
  accountId: AccountId,
  places: readonly (RestPlace | null)[],
): Promise<void> {
  const lines = places.filter((place) => place !== null).map((place) => `${JSON.stringify(place)}\n`);
  if (lines.length > 0) await extendScan(tx, REST_JOB, accountId, lines.join(''));
}

/**
 * Takes the next place from the list, of that owner if there is one. Of several places of a customer, as of somebody who was
 * erased again in the meantime, takes the last, before which all others are.
 */
export function nextIn(
  scan: Awaited<ReturnType<typeof findScan>>,
  owner: RestOwner | null,
): { place: RestPlace | undefined; others: string } {
  const lines = (scan?.lastId ?? '').split(/(?<=\n)/).filter((line) => line !== '');
  const places = lines.map((line) => ({ line, place: JSON.parse(line) as RestPlace }));
  const [first] = places;
  const next = owner ?? (first && ownerOf(first.place));
  const [last] = places.filter(({ place }) => ownerOf(place) === next).sort((a, b) => byPlace(b.place, a.place));
  const others = places.filter(({ place }) => ownerOf(place) !== next).map(({ line }) => line);
  return { place: last?.place, others: others.join('') };
}

function byPlace(one: RestPlace, other: RestPlace): number {
  if (one === PARKED || other === PARKED) return 0;
  return one.occurredAt - other.occurredAt || (one.saleId < other.saleId ? -1 : 1);
}
