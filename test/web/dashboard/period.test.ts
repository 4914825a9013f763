import { describe, expect, it } from 'vitest';
import { customPeriod, daysOf, periodInWords } from '../../../src/web/dashboard/data/period.ts';
import { fits } from '../../../src/web/dashboard/pages/deliveries/fits.ts';

const NOW = Date.parse('2026-03-01T22:30:00Z');
const NEW_YEAR = Date.parse('2027-01-01T00:00:00Z');

describe('a period of a list', () => {
  it.each([
    ['today', NOW, '2026-03-01', '2026-03-02'],
    ['7d', NOW, '2026-02-23', '2026-03-02'],
    ['30d', NOW, '2026-01-31', '2026-03-02'],
    ['month', NOW, '2026-03-01', '2026-03-02'],
    ['last-month', NOW, '2026-02-01', '2026-03-01'],
    ['last-month', NEW_YEAR, '2026-12-01', '2027-01-01'],
    ['year', NOW, '2026-01-01', '2026-03-02'],
    ['year', NEW_YEAR, '2027-01-01', '2027-01-02'],
    ['2026-11-01..2026-11-15', NOW, '2026-11-01', '2026-11-16'],
    ['2024-02-29..2024-02-29', NOW, '2024-02-29', '2024-03-01'],
  ])('%s is whole days in UTC', (period, now, from, to) => {
    expect(daysOf(period, now)).toEqual({ from, to });
  });

  it.each([
    undefined,
    '',
    'week',
    '2026-11-15..2026-11-01',
    '2026-11-31..2026-12-05',
    '2026-11-01',
    '..2026-11-01',
    '2026-11-01..9999-12-31',
  ])('%s is not a period', (period) => {
    expect([daysOf(period, NOW), periodInWords(period, NOW)]).toEqual([null, null]);
  });

  it.each([
    ['7d', 'Last 7 days'],
    [customPeriod('2026-11-01', '2026-11-15'), 'Nov 1 – 15, 2026'],
    [customPeriod('2026-11-01', '2026-11-01'), 'Nov 1, 2026'],
  ])('%s is shown as %s', (period, words) => {
    expect(periodInWords(period, NOW, 'en')?.replaceAll(/\s/g, ' ')).toBe(words);
  });
});

describe('a delivery that arrives', () => {
  const delivery = { receivedAt: '2026-11-15T23:59:59.999Z', outcome: 'sale', status: 'processed' } as never;

  it.each([
    [{}, true],
    [{ from: '2026-11-15', to: '2026-11-16' }, true],
    [{ from: '2026-11-16', to: '2026-11-17' }, false],
    [{ from: '2026-11-01', to: '2026-11-15' }, false],
    [{ from: '2026-11-15', to: '2026-11-16', outcome: 'sale' }, true],
    [{ outcome: 'failed' }, false],
  ])('is added to a list with the filters %j: %s', (filters, isIn) => {
    expect(fits(delivery, filters as never)).toBe(isIn);
  });
});
