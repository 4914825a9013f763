import type { CallInput } from '../../parts/api.ts';
import { amountText, parseAmount } from '../../parts/money.ts';

type Commission = NonNullable<CallInput<'createPartner'>['body']['commission']>;

/** A commission while it is typed. `program` stands for no terms of one's own. */
export interface CommissionText {
  type: 'program' | 'percentage' | 'flat';
  percent: string;
  amounts: string;
}

export function commissionText(commission: Commission | null | undefined): CommissionText {
  if (!commission) return { type: 'program', percent: '20', amounts: '' };
  if (commission.type === 'percentage') {
    return { type: 'percentage', percent: String(commission.rateBasisPoints / 100), amounts: '' };
  }
  return { type: 'flat', percent: '20', amounts: amountsText(commission.amounts) };
}

/** `5.00 USD, 4.50 EUR` */
export function amountsText(amounts: Readonly<Record<string, number>>): string {
  return Object.entries(amounts)
    .map(([currency, amount]) => `${amountText(amount, currency)} ${currency.toUpperCase()}`)
    .join(', ');
}

/** Minor units by currency; null for text that is not a list of amounts. */
export function parseAmounts(text: string): Record<string, number> | null {
  const parts = text.split(',').map((part) => part.trim().split(/\s+/));
  if (text.trim() === '') return {};
  const pairs = parts.map(
    ([amount = '', currency = '']) => [currency.toLowerCase(), parseAmount(amount, currency)] as const,
  );
  const isOneEach =
    parts.every(({ length }) => length === 2) && new Set(pairs.map(([code]) => code)).size === pairs.length;
  const isRead = pairs.every((pair): pair is readonly [string, number] => pair[1] !== null);
  return isOneEach && isRead ? Object.fromEntries(pairs) : null;
}

/** For a merge patch, which removes a currency only by null. */
export function amountsPatch(amounts: Record<string, number>, before: Readonly<Record<string, number>>) {
  const gone = Object.keys(before).filter((currency) => !(currency in amounts));
  return { ...Object.fromEntries(gone.map((currency) => [currency, null])), ...amounts } as Record<string, number>;
}

/** For a merge patch of something that has the commission `before`. */
export function commissionPatch(commission: Commission | null, before: Commission | null | undefined) {
  if (commission?.type !== 'flat' || before?.type !== 'flat') return commission;
  return { ...commission, amounts: amountsPatch(commission.amounts, before.amounts) };
}

/** What is sent: null for the program's commission; undefined while it cannot be read. */
export function parseCommission({ type, percent, amounts }: CommissionText): Commission | null | undefined {
  if (type === 'program') return null;
  if (type === 'flat') {
    const parsed = parseAmounts(amounts);
    return parsed === null ? undefined : { type, amounts: parsed };
  }
  const rate = Math.round(Number(percent) * 100);
  const isShare = /^\d+(\.\d{0,2})?$/.test(percent.trim()) && rate <= 10_000;
  return isShare ? { type, rateBasisPoints: rate } : undefined;
}
