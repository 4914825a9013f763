import { describe, expect, it } from 'vitest';
import { resultInWords, shortResult } from '../../../src/web/dashboard/pages/connections/reconcile/result-words.ts';
import { shownStateOf } from '../../../src/web/dashboard/pages/sales/shown-state.ts';
import { browserInWords } from '../../../src/web/dashboard/pages/settings/browser-in-words.ts';
import { asSentence } from '../../../src/web/dashboard/ui/sentence.ts';
import { formatAmount, largestFirst, parseAmount } from '../../../src/web/parts/money.ts';
import { timeAgo } from '../../../src/web/parts/time.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');

describe('the short texts of the dashboard', () => {
  it.each([
    ['2026-11-22T11:59:30Z', 'Just now'],
    ['2026-11-22T11:58:59Z', '1 minute ago'],
    ['2026-11-22T11:00:01Z', '59 minutes ago'],
    ['2026-11-22T09:30:00Z', '2 hours ago'],
    ['2026-11-21T12:00:00Z', 'yesterday'],
    ['2026-11-19T13:00:00Z', '2 days ago'],
    ['2026-11-24T12:00:00Z', 'in 2 days'],
  ])('%s was %s', (iso, words) => {
    expect(timeAgo(iso, NOW, 'en')).toBe(words);
  });

  it.each([
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
      'Chrome on Linux',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
      'Safari on macOS',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/604.1',
      'Safari on iOS',
    ],
    ['Mozilla/5.0 (Android 14; Mobile; rv:130.0) Gecko/130.0 Firefox/130.0', 'Firefox on Android'],
    ['curl/8.9.1', 'curl/8.9.1'],
  ])('%s is %s', (userAgent, words) => {
    expect(browserInWords(userAgent)).toBe(words);
  });

  it.each([
    ["the processor's customer id: unknown", "The processor's customer id: unknown"],
    ['already known', 'Already known'],
    ['metadata.svc_id: partner ptr_1', 'metadata.svc_id: partner ptr_1'],
    ['note_attributes.svc_id: partner ptr_1', 'note_attributes.svc_id: partner ptr_1'],
    ['A refund came first', 'A refund came first'],
  ])('%s becomes %s', (reason, sentence) => {
    expect(asSentence(reason)).toBe(sentence);
  });

  it.each([
    ['pending', null, 'pending'],
    ['pending', 'flagged', 'flagged'],
    ['refunded', 'flagged', 'refunded'],
    ['disputed', 'flagged', 'disputed'],
    ['approved', 'approved', 'approved'],
  ])('a sale that is %s, and whose review is %s, is shown as %s', (status, review, shown) => {
    expect(shownStateOf({ status, review })).toBe(shown);
  });

  it.each(['en', 'de', 'ja', 'sv'])('no two currencies look alike in %s', (language) => {
    const texts = ['usd', 'cad', 'aud', 'sek', 'nok', 'dkk', 'jpy', 'cny'].map((code) =>
      formatAmount(0, code, language),
    );
    expect(new Set(texts).size).toBe(texts.length);
  });

  it.each([
    [' -19.9 ', -1990],
    ['19.999', null],
    ['6e3', null],
    ['6,000', null],
  ])('reads %j in a field as cents: %j', (text, amount) => {
    expect(parseAmount(text, 'USD')).toBe(amount);
  });

  it('lists sums of several currencies by their number of units', () => {
    const sums = [
      { currency: 'eur', amount: 1_657_30 },
      { currency: 'jpy', amount: 9_000 },
      { currency: 'usd', amount: 7_301_41 },
    ];
    expect(largestFirst(sums).map(({ currency }) => currency)).toEqual(['jpy', 'usd', 'eur']);
  });

  const NONE = { read: 0, known: 0, ignored: 0, sales: 0, reversals: 0, unattributed: 0, failed: 0, other: 0 };
  it.each([
    ['completed', false, { read: 9 }, 'Everything arrived.', 'Nothing missing'],
    ['completed', true, {}, 'Nothing happened since then.', 'Nothing missing'],
    ['completed', true, { read: 9, sales: 1 }, '1 of 9 is missing: 1 sale.', '1 missing'],
    [
      'completed',
      false,
      { read: 40, sales: 9, reversals: 1, unattributed: 2, failed: 1, other: 3 },
      '16 of 40 were missing: 9 sales, 1 refund or dispute, 2 payments whose customer is unknown, 1 that could not be processed, 3 others.',
      '16 missing',
    ],
    ['failed', false, {}, 'Nothing was read.', null],
    ['canceled', true, { read: 9 }, 'Nothing was missing until then.', null],
    ['failed', true, { read: 9, reversals: 2 }, 'Until then: 2 of 9 are missing: 2 refunds or disputes.', '2 missing'],
  ] as const)('a reconciliation: %s, dry run %s, %o', (status, dryRun, counted, words, short) => {
    const counts = { ...NONE, ...counted };
    expect(resultInWords({ status, dryRun, counts, notRead: [] })).toBe(words);
    expect(shortResult({ status, counts })).toBe(short);
  });

  it.each([
    [{ read: 9 }, 'Everything that could be read arrived.'],
    [{}, 'Nothing that could be read happened since then.'],
    [{ read: 9, sales: 1 }, '1 of 9 was missing: 1 sale.'],
  ])('a reconciliation that did not read everything: %o', (counted, words) => {
    const notRead = [{ what: 'disputes', reason: 'no scope' }];
    const run = { status: 'completed', dryRun: false, counts: { ...NONE, ...counted }, notRead } as const;
    expect(resultInWords(run)).toBe(words);
  });
});
