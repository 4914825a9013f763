import { hash, randomBytes } from 'node:crypto';
import type { Service } from '../app/service.ts';
import { withTimeout } from '../app/timeout.ts';
import { DAY_MS } from '../core/time.ts';
import { deleteSaltsUntil, findSalt, insertSalt } from './queries/visitor-salts.ts';
import { DATABASE_TIMEOUT_MS } from './timeout.ts';

const SALT_BYTES = 32;
/** 96 bits. */
const HASH_CHARACTERS = 16;
const SALT_LIFE_MS = 2 * DAY_MS;

interface DaySalt {
  day: number;
  /** Null until it is there. */
  salt: string | null;
  loading: Promise<string>;
}

/** Today's salt, once somebody needed it. */
const createSaltCache = () => ({ today: null as DaySalt | null });

/** What tells visitors apart; both only pass through. */
export interface VisitorTraits {
  address: string;
  userAgent: string;
}

/**
 * Tells visitors of one account apart for a day (UTC), and nothing else: without the salt, which is deleted after 48
 * hours, nobody can find out whose hash it was. 16 characters of base64url.
 *
 * @throws ServiceError `UNAVAILABLE` when today's salt can be neither read nor made
 */
export async function visitorHashFor(service: Service, accountId: string, visitor: VisitorTraits): Promise<string> {
  const { address, userAgent } = visitor;
  const today = saltOfToday(service);
  const salt = today.salt ?? (await today.loading);
  return hash('sha256', `${salt}\n${accountId}\n${address}\n${userAgent}`, 'base64url').slice(0, HASH_CHARACTERS);
}

/** Deletes the salts that are older than 48 hours, here and in this process's memory; returns how many it deleted. */
export function dropOldSalts(service: Service): Promise<number> {
  const now = service.clock();
  const cache = service.state(createSaltCache);
  if (cache.today?.day !== dayOf(now)) cache.today = null;
  return service.database.write((tx) => deleteSaltsUntil(tx, now - SALT_LIFE_MS));
}

function saltOfToday(service: Service): DaySalt {
  const cache = service.state(createSaltCache);
  const day = dayOf(service.clock());
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

/** The first of the day makes it; several processes agree on the one that was stored first. */
async function loadSalt({ database, clock }: Service, day: number): Promise<string> {
  const known = await database.read((tx) => findSalt(tx, day));
  if (known !== undefined) return known;
  const made = { day, salt: randomBytes(SALT_BYTES).toString('hex'), createdAt: clock() };
  return database.write(async (tx) => {
    await insertSalt(tx, made);
    return (await findSalt(tx, day)) ?? made.salt;
  });
}

function dayOf(time: number): number {
  return Math.floor(time / DAY_MS);
}
