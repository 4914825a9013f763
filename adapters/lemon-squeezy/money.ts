import type { Interpretation } from '../../src/core/facts.ts';
import { currencyExponent } from '../../src/core/money.ts';
import { notAsDescribed } from '../contract/interpret-as.ts';

const TWO_DECIMALS = 2;

/**
 * True if the amount is known to be in ISO 4217 minor units. The documentation says "in cents" for every currency. For
 * a currency without two decimals, the payload must confirm it: the formatted amount (`¥1,500`, `TND12.345`) must have
 * the same digits, and as many decimals as ISO 4217 prescribes.
 *
 * @param currency lower case; a code that ISO 4217 does not know passes here and is rejected with the fact
 */
export function isInMinorUnits(amount: number, formatted: string | null, currency: string): boolean {
  const exponent = currencyExponent(currency) ?? TWO_DECIMALS;
  if (exponent === TWO_DECIMALS) return true;
  const [, whole = '', decimals = ''] = /^[^\d-]*(\d[\d,]*)(?:\.(\d+))?\D*$/.exec(formatted ?? '') ?? [];
  return decimals.length === exponent && Number(whole.replaceAll(',', '') + decimals) === amount && whole !== '';
}

/** Returns `unknown` for an amount whose unit the payload does not confirm. */
export function unitUnknown(event: string, currency: string): Interpretation {
  return notAsDescribed(event, [`total_formatted does not confirm the unit of amounts in ${currency.toUpperCase()}`]);
}
