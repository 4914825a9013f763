import { hash, randomBytes } from 'node:crypto';
import { BoundedCache } from '../app/bounded-cache.ts';
import { networkOf } from '../app/network.ts';
import type { Service } from '../app/service.ts';

const WINDOW_MS = 60_000;
/** The maximum number of addresses in memory, about 4 MB. */
const NETWORKS_MAX = 20_000;
const HASH_CHARACTERS = 16;
/** Limits warnings to one line a minute instead of one per visit. */
const WARNING_PAUSE_MS = 60_000;

interface ClickRates {
  /** Created anew by each process, so that no memory dump contains addresses. */
  salt: Buffer;
  /** The clicks of each hashed network in the current minute. */
  counts: BoundedCache<string, { clickCount: number }>;
  warnedAt: number;
}

const createClickRates = ({ clock }: Service): ClickRates => ({
  salt: randomBytes(16),
  counts: new BoundedCache({ entriesMax: NETWORKS_MAX, maxAgeMs: WINDOW_MS, clock }),
  warnedAt: Number.NEGATIVE_INFINITY,
});

/**
 * Counts a click from this address. Returns false when the address has reached its limit for this minute. Each process
 * counts in its own memory and forgets addresses after their minute.
 */
export function isWithinClickRate(service: Service, address: string): boolean {
  const { clicksPerMinute } = service;
  if (clicksPerMinute === 0) return true;
  const { salt, counts } = service.state(createClickRates);
  const key = hash('sha256', `${salt.toString('hex')}\n${networkOf(address)}`, 'base64url').slice(0, HASH_CHARACTERS);
  const known = counts.get(key);
  if (known === undefined) {
    counts.set(key, { clickCount: 1 });
    return true;
  }
  known.clickCount += 1;
  if (known.clickCount <= clicksPerMinute) return true;
  reportLimit(service);
  return false;
}

function reportLimit(service: Service): void {
  const rates = service.state(createClickRates);
  service.metrics.clickLimited();
  const now = service.clock();
  if (now - rates.warnedAt < WARNING_PAUSE_MS) return;
  rates.warnedAt = now;
  service.log.warn(
    { clicksPerMinute: service.clicksPerMinute },
    'clicks not recorded: too many from one address; if that is your proxy, set TRUST_PROXY, else see CLICKS_PER_MINUTE',
  );
}
