import { InvalidArgumentError } from 'commander';
import type { CommissionInput } from '../../client/api-types.ts';
import { BASIS_POINTS_PER_WHOLE } from '../../core/commission.ts';
import {
  AMOUNT_MAX,
  CURRENCIES,
  currencyExponent,
  decimalToMinor,
  formatMoney,
  parseCurrency,
} from '../../core/money.ts';
import type { Money } from '../terminal/cell.ts';

const BASIS_POINTS_DECIMALS = 2;

/** `12.50 EUR`, `-5USD`: an amount with its currency, with no more decimals than the currency has. */
export function readMoney(text: string): Money {
  const [, number, code = ''] = /^\s*(-?\d+(?:\.\d+)?)\s*([A-Za-z]{3})\s*$/.exec(text) ?? [];
  if (number === undefined) throw new InvalidArgumentError('Write an amount with its currency, such as 12.50EUR.');
  const currency = parseCurrency(code);
  if (currency === null) throw new InvalidArgumentError(`There is no currency ${code.toUpperCase()}.`);
  const exponent = currencyExponent(currency) ?? 0;
  if (decimalsOf(number) > exponent) throw new InvalidArgumentError(decimalsText(currency, exponent));
  const amount = decimalToMinor(number, exponent);
  if (amount === null || Math.abs(amount) > AMOUNT_MAX) {
    throw new InvalidArgumentError(`An amount is at most ${formatMoney(AMOUNT_MAX, currency)}.`);
  }
  return { amount, currency };
}

/** As `readMoney`, for what cannot be less than zero. */
export function readUnsignedMoney(text: string): Money {
  const money = readMoney(text);
  if (money.amount < 0) throw new InvalidArgumentError('An amount must not be negative here.');
  return money;
}

function decimalsText(currency: string, exponent: number): string {
  return `${currency.toUpperCase()} has ${exponent === 0 ? 'no' : `at most ${exponent}`} decimals.`;
}

/** `50EUR,60USD`: one amount per currency. */
export function readSums(text: string): Record<string, number> {
  const sums = text.split(',').map(readUnsignedMoney);
  const codes = sums.map(({ currency }) => currency);
  const repeated = codes.find((code, index) => codes.indexOf(code) !== index);
  if (repeated !== undefined) throw new InvalidArgumentError(`Give one amount in ${repeated.toUpperCase()}.`);
  return Object.fromEntries(sums.map(({ currency, amount }) => [currency, amount]));
}

/** `20%`, or `5EUR,6USD` for a fixed amount per sale. */
export function readCommission(text: string): CommissionInput {
  const [, percent] = /^\s*(\d+(?:\.\d+)?)\s*%\s*$/.exec(text) ?? [];
  if (percent === undefined) {
    if (/\d\s*[a-z]{3}\b/i.test(text)) return { type: 'flat', amounts: readSums(text) };
    throw new InvalidArgumentError('Write a percentage, such as 20%, or an amount with its currency, such as 5EUR.');
  }
  const rateBasisPoints =
    decimalsOf(percent) > BASIS_POINTS_DECIMALS ? null : decimalToMinor(percent, BASIS_POINTS_DECIMALS);
  if (rateBasisPoints === null) throw new InvalidArgumentError('A percentage has at most two decimals, such as 12.5%.');
  if (rateBasisPoints > BASIS_POINTS_PER_WHOLE) throw new InvalidArgumentError('A percentage is at most 100%.');
  return { type: 'percentage', rateBasisPoints };
}

/** In a merge patch, only null removes an amount. */
const NO_SUMS = Object.fromEntries(CURRENCIES.map((currency) => [currency, null]));

/** Like `readSums`, as a merge patch that leaves no other amounts. */
export function readSumsPatch(text: string): Record<string, number | null> {
  return { ...NO_SUMS, ...readSums(text) };
}

/** Like `readCommission`, as a merge patch that leaves no other amounts. */
export function readCommissionPatch(text: string): object {
  const commission = readCommission(text);
  if (commission.type === 'percentage') return commission;
  return { ...commission, amounts: { ...NO_SUMS, ...commission.amounts } };
}

/** The server decides which numbers it accepts. */
export function readNumber(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('It must be JSON.');
  }
}

function decimalsOf(number: string): number {
  return number.split('.')[1]?.length ?? 0;
}
