import { randomBytes, randomUUIDv7 } from 'node:crypto';

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

/** A row's id: prefix, underscore, UUID version 7 without dashes. Sorts by time of creation under any collation. */
export function createId(prefix: IdPrefix): string {
  return `${prefix}_${randomUUIDv7().replaceAll('-', '')}`;
}

/** Sorts before every id with this prefix that is made at or after `time`, and after all that were made earlier. */
export function idsFrom(prefix: IdPrefix, time: number): string {
  return `${prefix}_${Math.max(0, time).toString(16).padStart(12, '0')}`;
}

/**
 * A click's id: `clk_`, the millisecond as 12 hexadecimal digits (index locality), 20 random base62 characters
 * (119 bits): it travels through browsers, and nobody may guess another visitor's.
 */
export function createClickId(now: number): string {
  return `clk_${now.toString(16).padStart(12, '0')}${randomBase62(20)}`;
}

/** True for text that has the shape of a click's id; says nothing of whether one was recorded. */
export function isClickId(text: string): boolean {
  return /^clk_[0-9a-f]{12}[0-9A-Za-z]{20}$/.test(text);
}

/** `length` random characters of 0-9A-Za-z, without modulo bias. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length + 8)) {
      if (byte < 248 && text.length < length) text += BASE62[byte % 62];
    }
  }
  return text;
}
