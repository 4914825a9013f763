import { randomFillSync } from 'node:crypto';
import { systemClock } from './clock.ts';

/** The first letters of every id, so that one can be told apart wherever it is met. */
export type IdPrefix =
  | 'acc'
  | 'prg'
  | 'ptr'
  | 'lnk'
  | 'clk'
  | 'cus'
  | 'led'
  | 'sal'
  | 'ent'
  | 'pay'
  | 'pmt'
  | 'whe'
  | 'dlv'
  | 'key';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const COUNTER_MAX = 0xfff;
let lastMs = 0;
/** `lastMs` and the version, as an id has them. */
let timePart = '';
let counter = 0;

/**
 * A row's id: prefix, underscore, UUID version 7 without dashes. Sorts by time of creation under any collation, also
 * within one millisecond of one thread: the 12 bits after the version count (RFC 9562, section 6.2), 62 are random.
 */
export function createId(prefix: IdPrefix): string {
  const now = systemClock();
  if (now > lastMs) beginMillisecond(now);
  else if (counter === COUNTER_MAX) beginMillisecond(lastMs + 1);
  else counter += 1;
  return `${prefix}_${timePart}${hex(counter, 3)}${variantAndRandom()}`;
}

function beginMillisecond(ms: number): void {
  lastMs = ms;
  timePart = `${hex(ms, 12)}7`;
  counter = 0;
}

/** Sorts before every id with this prefix that is made at or after `time`, and after all that were made earlier. */
export function idsFrom(prefix: IdPrefix, time: number): string {
  return `${prefix}_${hex(Math.max(0, time), 12)}`;
}

/**
 * A click's id: `clk_`, the millisecond as 12 hexadecimal digits (index locality), 20 random base62 characters
 * (119 bits): it travels through browsers, and nobody may guess another visitor's.
 */
export function createClickId(now: number): string {
  return `clk_${hex(now, 12)}${randomBase62(20)}`;
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
 * Drawn many at a time: a call of the generator costs as much for thousands as for one. Each is used once; what is
 * secret of them is wiped.
 */
const randomPool = Buffer.alloc(4_096);
let poolUsed = randomPool.length;

function drawBytes(count: number): void {
  if (poolUsed + count <= randomPool.length) return;
  randomFillSync(randomPool);
  poolUsed = 0;
}

/** The last 64 bits of a UUID: the variant's two, and 62 random ones. */
function variantAndRandom(): string {
  drawBytes(8);
  randomPool[poolUsed] = ((randomPool[poolUsed] ?? 0) & 0x3f) | 0x80;
  const text = randomPool.toString('hex', poolUsed, poolUsed + 8);
  poolUsed += 8;
  return text;
}

function randomByte(): number {
  drawBytes(1);
  const byte = randomPool.readUInt8(poolUsed);
  randomPool[poolUsed] = 0;
  poolUsed += 1;
  return byte;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
