import { randomFillSync } from 'node:crypto';
import { type Clock, systemClock } from './clock.ts';
import type { ClickId, Id, IdPrefix } from './core/ids.ts';

export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const COUNTER_MAX = 0xfff;
/** A clock that is set back farther was wrong: lists of a period would lack all rows whose ids kept its time. */
const SET_BACK_MS_MAX = 60_000;
let clock = systemClock;
let lastMs = 0;
/** `lastMs` and the UUID version, as an id contains them. */
let timePart = '';
let counter = 0;

/**
 * A row's id: prefix, underscore, UUID version 7 without dashes. Sorts by creation time under any collation that
 * `storage/collation.ts` accepts, even within a millisecond of one thread: the 12 bits after the version are a counter
 * (RFC 9562, section 6.2), 62 are random. That holds although the clock is set back by seconds; by more, ids follow it.
 * Threads that write to one file keep the order together: see `WriteLock`.
 */
export function createId<Prefix extends IdPrefix>(prefix: Prefix): Id<Prefix> {
  const now = clock();
  if (now > lastMs || lastMs - now > SET_BACK_MS_MAX) startMillisecond(now);
  else if (counter === COUNTER_MAX) startMillisecond(lastMs + 1);
  else counter += 1;
  return `${prefix}_${timePart}${hex(counter, 3)}${variantAndRandom()}` as Id<Prefix>;
}

/**
 * From now on, the ids of this thread carry the time of another clock, to record what happened earlier. Only for a
 * process that does nothing else meanwhile.
 */
export function setIdClock(next: Clock): void {
  clock = next;
  lastMs = 0;
}

/** The time in an id, in epoch milliseconds, and its number within this millisecond. */
export interface IdPlace {
  ms: number;
  counter: number;
}

/** The place of this thread's last id. */
export function lastIdPlace(): IdPlace {
  return { ms: lastMs, counter };
}

/** The next ids of this thread sort after this place. */
export function continueIdsAfter({ ms, counter: last }: IdPlace): void {
  if (ms < lastMs || (ms === lastMs && last <= counter)) return;
  startMillisecond(ms);
  counter = last;
}

function startMillisecond(ms: number): void {
  lastMs = ms;
  timePart = `${hex(ms, 12)}7`;
  counter = 0;
}

/** Sorts before every id of this prefix created at or after `time`, and after all created earlier. */
export function idsFrom(prefix: IdPrefix, time: number): string {
  return `${prefix}_${hex(Math.max(0, time), 12)}`;
}

/**
 * A click's id: `clk_`, the millisecond as 12 hexadecimal digits (index locality), 20 random base62 characters (119
 * bits). It travels through browsers, and nobody must be able to guess another visitor's id.
 */
export function createClickId(now: number): ClickId {
  return `clk_${hex(now, 12)}${randomBase62(20)}` as ClickId;
}

/** `length` random characters of 0-9A-Za-z, without modulo bias. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    const byte = randomByte();
    if (byte < 248) text += BASE62[byte % 62];
  }
  return text;
}

/**
 * Filled in bulk, because one call of the generator costs the same for thousands of bytes as for one. Each byte is used
 * once; bytes that become secrets are wiped.
 */
const randomPool = Buffer.alloc(4_096);
let poolUsed = randomPool.length;

function ensureRandomBytes(count: number): void {
  if (poolUsed + count <= randomPool.length) return;
  randomFillSync(randomPool);
  poolUsed = 0;
}

/** The last 64 bits of a UUID: two for the variant, 62 random. */
function variantAndRandom(): string {
  ensureRandomBytes(8);
  randomPool[poolUsed] = ((randomPool[poolUsed] ?? 0) & 0x3f) | 0x80;
  const text = randomPool.toString('hex', poolUsed, poolUsed + 8);
  poolUsed += 8;
  return text;
}

function randomByte(): number {
  ensureRandomBytes(1);
  const byte = randomPool.readUInt8(poolUsed);
  randomPool[poolUsed] = 0;
  poolUsed += 1;
  return byte;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
