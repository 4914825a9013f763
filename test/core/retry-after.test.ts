import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retryAfterMs as clientRetryAfterMs } from '../../src/client/retry-after.ts';
import { retryAfterMs, retryAfterSeconds } from '../../src/core/retry-after.ts';
import { rounds } from '../helpers/rounds.ts';

const NOW = Date.parse('2026-11-30T08:00:00Z');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RUNS = { numRuns: rounds(2_000) };

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
/** The same second in each form of RFC 9110, 5.6.7. */
function httpDates(epochMs: number): string[] {
  const time = new Date(epochMs);
  const day = String(time.getUTCDate());
  const [weekday = '', month = ''] = [DAYS[time.getUTCDay()], MONTHS[time.getUTCMonth()]];
  const year = String(time.getUTCFullYear());
  const clock = time.toISOString().slice(11, 19);
  return [
    time.toUTCString(),
    `${weekday}, ${day.padStart(2, '0')}-${month}-${year.slice(2)} ${clock} GMT`,
    `${weekday.slice(0, 3)} ${month} ${day.padStart(2)} ${clock} ${year}`,
  ];
}
const secondsFromNow = fc.integer({ min: -10 * 86_400, max: 10 * 86_400 });
const valid = fc.oneof(
  fc.nat(200_000).map(String),
  fc.tuple(fc.nat(9_999), fc.nat(999)).map(([whole, part]) => `${whole}.${part}`),
  secondsFromNow.chain((seconds) => fc.constantFrom(...httpDates(NOW + seconds * 1000))),
);
const anything = fc.oneof(valid, fc.string(), fc.string({ unit: fc.constantFrom(...'0123456789,.- :GMTSunNov') }));

describe('Retry-After', () => {
  it('names seconds, of which a fraction counts, too', () => {
    fc.assert(
      fc.property(fc.nat(86_400), fc.nat(86_399), fc.nat(9), (whole, other, tenth) => {
        expect(retryAfterMs(`${whole}`, NOW)).toBe(whole * 1000);
        expect(retryAfterMs(` ${other}.${tenth} `, NOW)).toBe(Number(`${other}.${tenth}`) * 1000);
      }),
      RUNS,
    );
  });

  it('or an HTTP date in any of its three forms, in UTC; a time that has passed is no wait', () => {
    fc.assert(
      fc.property(secondsFromNow, (seconds) => {
        const wait = Math.min(Math.max(seconds * 1000, 0), DAY_MS);
        for (const date of httpDates(NOW + seconds * 1000))
          expect([date, retryAfterMs(date, NOW)]).toEqual([date, wait]);
      }),
      RUNS,
    );
  });

  it('names a time in UTC wherever this machine is', () => {
    const { TZ: zone } = process.env;
    process.env.TZ = 'Asia/Tokyo';
    try {
      for (const date of httpDates(NOW + HOUR_MS)) expect([date, retryAfterMs(date, NOW)]).toEqual([date, HOUR_MS]);
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });

  it.each(['0', '3600', '2.5', ...httpDates(NOW + HOUR_MS)])('%s is read without a clock only as seconds', (header) => {
    expect(retryAfterMs(header, Number.NaN)).toBe(header.includes(':') ? null : Number(header) * 1000);
  });

  it.each([
    '',
    ' ',
    'soon',
    '-5',
    '-0',
    '+5',
    '1e3',
    '0x10',
    '5s',
    '5 5',
    '.5',
    '5.',
    '1.2.3',
    '٥',
    'NaN',
    'Infinity',
    '2026-11-30T09:00:00Z',
    'Mon, 30 Foo 2026 09:00:00 GMT',
    'Mon, 30 Nov 2026 99:00:00 GMT',
    'Mon, 30 Nov 2026 09:00:00 +0900',
    'Mon, 30 Nov 2026 09:00:00',
    ',',
    ',,,',
  ])('%j names neither', (header) => {
    expect(retryAfterMs(header, NOW)).toBeNull();
  });

  it.each([null, undefined])('that is missing (%s) names neither', (header) => {
    expect(retryAfterMs(header, NOW)).toBeNull();
  });

  it('never asks for more than a day', () => {
    const digits = fc.integer({ min: 6, max: 400 });
    fc.assert(
      fc.property(digits, (length) => {
        expect(retryAfterMs('9'.repeat(length), NOW)).toBe(DAY_MS);
      }),
      RUNS,
    );
    expect(retryAfterMs('Fri, 31 Dec 9999 23:59:59 GMT', NOW)).toBe(DAY_MS);
  });

  it('that came several times asks for the longest wait, whatever else came with it', () => {
    fc.assert(
      fc.property(fc.array(valid, { minLength: 1, maxLength: 4 }), (values) => {
        const longest = Math.max(...values.map((value) => retryAfterMs(value, NOW) ?? Number.NaN));
        const headers = new Headers();
        for (const value of [...values, 'soon']) headers.append('retry-after', value);
        expect(retryAfterMs(headers.get('retry-after'), NOW)).toBe(longest);
      }),
      RUNS,
    );
  });

  it('is never an error, and never less than nothing', () => {
    fc.assert(
      fc.property(anything, (header) => {
        const wait = retryAfterMs(header, NOW);
        expect(wait === null || (wait >= 0 && wait <= DAY_MS)).toBe(true);
      }),
      RUNS,
    );
  });

  it('is read by the client as by the server, but for an hour at most', () => {
    fc.assert(
      fc.property(fc.oneof(anything, fc.array(anything).map(String)), (header) => {
        const wait = retryAfterMs(header, NOW);
        expect(clientRetryAfterMs(header, NOW)).toBe(wait === null ? null : Math.min(wait, HOUR_MS));
      }),
      RUNS,
    );
  });
});

describe('Retry-After in seconds', () => {
  it.each<[Record<string, string>, number | undefined]>([
    [{ 'retry-after': '2.1' }, 3],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
    [{ 'retry-after': 'Wed, 21 Oct 2015 07:28:30 GMT', date: 'Wed, 21 Oct 2015 07:28:00 GMT' }, 30],
    [{ 'retry-after': 'Wed, 21 Oct 2015 07:28:30 GMT' }, undefined],
    [{ 'retry-after': 'Wed, 21 Oct 2015 07:28:30 GMT', date: 'today' }, undefined],
  ])('of %j is whole, and by the clock of the answer', (headers, seconds) => {
    expect(retryAfterSeconds(new Headers(headers))).toBe(seconds);
  });
});
