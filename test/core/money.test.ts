import { describe, expect, it } from 'vitest';
import {
  currencyExponent,
  decimalToMinor,
  formatMoney,
  minorToDecimal,
  multiplyRatio,
  parseCurrency,
} from '../../src/core/money.ts';

describe('currencies', () => {
  it.each([
    ['usd', 2],
    ['jpy', 0],
    ['isk', 0],
    ['huf', 2],
    ['kwd', 3],
    ['clf', 4],
  ])('%s has %i decimals, as ISO 4217 says', (code, exponent) => {
    expect(currencyExponent(code)).toBe(exponent);
  });

  it('are read in any case and stored in lower case; anything else is unknown', () => {
    expect([parseCurrency('EUR'), parseCurrency('eur'), parseCurrency('zzz'), parseCurrency('')]).toEqual([
      'eur',
      'eur',
      null,
      null,
    ]);
  });
});

describe('decimal text', () => {
  it.each([
    ['19.99', 2, 1999],
    ['1.005', 2, 101],
    ['0.1', 3, 100],
    ['-5', 2, -500],
    ['1e3', 0, 1000],
    ['12345678901.23', 2, 1_234_567_890_123],
    ['0.004', 2, 0],
    ['19.9949', 2, 1999],
    ['19.995', 2, 2000],
    ['-0.01', 2, -1],
    ['-0.00', 2, 0],
    [' 19.99 ', 2, 1999],
    ['0e999', 2, 0],
    ['90071992547409.91', 2, Number.MAX_SAFE_INTEGER],
    [`0.${'0'.repeat(38)}`, 2, 0],
  ])('%s with %i decimals is %i', (text, exponent, minor) => {
    expect(decimalToMinor(text, exponent)).toBe(minor);
  });

  it.each(['', '1,5', 'NaN', '0x10', '1e999', '9'.repeat(30), ' ', '90071992547409.92', `0.${'0'.repeat(39)}`])(
    '%j is not an amount',
    (text) => {
      expect(decimalToMinor(text, 2)).toBeNull();
    },
  );

  it.each([
    [1999, 'usd', '19.99'],
    [5, 'usd', '0.05'],
    [-250, 'eur', '-2.50'],
    [1500, 'jpy', '1500'],
    [1, 'kwd', '0.001'],
    [0, 'usd', '0.00'],
  ])('%i %s is formatted as %s', (minor, currency, text) => {
    expect(minorToDecimal(minor, currency)).toBe(text);
    expect(formatMoney(minor, currency)).toBe(`${text} ${currency.toUpperCase()}`);
    expect(decimalToMinor(text, currencyExponent(currency) ?? 0)).toBe(minor);
  });
});

it('a ratio is exact where a float is not, and rounds half up', () => {
  expect(multiplyRatio(1_000_000_000_000, 9_999, 10_000)).toBe(999_900_000_000);
  expect(multiplyRatio(999_999_999_999, 999_999_999_999, 1_000_000_000_000)).toBe(999_999_999_998);
  expect(multiplyRatio(1, 1, 2)).toBe(1);
});
