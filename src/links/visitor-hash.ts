import { hash, randomBytes } from 'node:crypto';
import type { Service } from '../app/service.ts';
import { withTimeout } from '../app/timeout.ts';
import type { AccountId } from '../core/ids.ts';
import { DAY_MS } from '../core/time.ts';
import type { Transaction } from '../storage/database.ts';
import { deleteSaltsOutside, findSalt, insertSalt } from './queries/visitor-salts.ts';
import { DATABASE_TIMEOUT_MS } from './timeout.ts';

const SALT_BYTES = 32;
/** 96 bits. */
const HASH_CHARACTERS = 16;
const SALT_MAX_AGE_MS = 2 * DAY_MS;

interface DaySalt {
  day: number;
  /** The stored salt, hashed with the key that is not in the database. Null until loaded. */
  salt: string | null;
  loading: Promise<string>;
}

/** Today's salt, after its first use. */
const createSaltCache = () => ({ today: null as DaySalt | null });

/** What distinguishes visitors; hashed, never stored. */
export interface VisitorTraits {
  address: string;
  userAgent: string;
}

/**
 * A hash that distinguishes visitors of one account within one UTC day, and nothing else. Its salt is deleted after 48
 * hours, after which nobody can trace the hash back; backups keep it, but have no key. 16 characters of base64url.
 *
 * @param at the time of the visit, which has just begun; epoch milliseconds
 * @throws ServiceError `UNAVAILABLE` when the salt of its day can be neither read nor created
 */
export async function visitorHashFor(
  service: Service,
  accountId: AccountId,
  { address, userAgent }: VisitorTraits,
  at = service.clock(),
): Promise<string> {
  const today = saltOfDay(service, dayOf(at));
  const salt = today.salt ?? (await today.loading);
  return hash('sha256', `${salt}\n${accountId}\n${address}\n${userAgent}`, 'base64url').slice(0, HASH_CHARACTERS);
}

/**
 * Deletes salts older than 48 hours, and those of a clock that was ahead, from the database and from this process's cache.
 * Returns their number.
 */
export function deleteOldSalts(service: Service): Promise<number> {
  const now = service.clock();
  const cache = service.state(createSaltCache);
  if (cache.today?.day !== dayOf(now)) cache.today = null;
  const recent = { from: now - SALT_MAX_AGE_MS, to: now + SALT_MAX_AGE_MS };
  return service.database.write((tx) => deleteSaltsOutside(tx, recent), { alone: true });
}

function saltOfDay(service: Service, day: number): DaySalt {
  const cache = service.state(createSaltCache);
  if (cache.today?.day === day) return cache.today;
  const today: DaySalt = { day, salt: null, loading: withTimeout(loadSalt(service, day), DATABASE_TIMEOUT_MS) };
  cache.today = today;
  today.loading.then(
    (salt) => {
      today.salt = salt;
    },
    () => {
      if (cache.today === today) cache.today = null;
    },
  );
  return today;
}

async function loadSalt(service: Service, day: number): Promise<string> {
  return service.sealer.digest(await storedSalt(service, day));
}

/** The first request of a day creates the salt. All processes use the one that was stored first. */
async function storedSalt({ database, clock }: Service, day: number): Promise<string> {
  const known = await database.read((tx) => findSalt(tx, day));
  if (known !== undefined) return known;
  const created = { day, salt: randomBytes(SALT_BYTES).toString('hex'), createdAt: clock() };
  const store = async (tx: Transaction) => {
    await insertSalt(tx, created);
    return (await findSalt(tx, day)) ?? created.salt;
  };
  // runs alone, because another process may be creating the salt at the same time
  return database.write(store, { alone: true });
}

function dayOf(time: number): number {
  return Math.floor(time / DAY_MS);
}
