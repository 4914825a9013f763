import { BoundedCache } from '../app/bounded-cache.ts';
import type { Service } from '../app/service.ts';
import type { LinkId } from '../core/ids.ts';
import { HOUR_MS } from '../core/time.ts';

/** Takes about 6 MB. */
const VISITS_MAX = 30_000;

const createCountedVisits = ({ clock }: Service) =>
  new BoundedCache<string, true>({ entriesMax: VISITS_MAX, maxAgeMs: HOUR_MS, clock });

interface Visit {
  linkId: LinkId;
  visitorHash: string;
  /** Epoch milliseconds, the time of the click. */
  at: number;
}

/**
 * True when a link's statistics ignore this visit. With `visitors`, they ignore all but the first visit of each visitor
 * and hour. Each process keeps its own memory, so a visitor served by several processes may be counted once by each.
 */
export function isRepeatVisit(service: Service, { linkId, visitorHash, at }: Visit): boolean {
  if (service.clickStatistics === 'visits') return false;
  const counted = service.state(createCountedVisits);
  // the same hour as that of the counts, so that no full hour counts a visitor twice
  const key = `${linkId} ${visitorHash} ${Math.floor(at / HOUR_MS)}`;
  if (counted.get(key) !== undefined) return true;
  counted.set(key, true);
  return false;
}
