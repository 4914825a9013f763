import { describe, expect, it } from 'vitest';
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
});
