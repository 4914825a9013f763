import { LINES_MAX } from '../../src/core/fact-limits.ts';
import type { PaymentReceived } from '../../src/core/facts.ts';
import { decimalToMinor } from '../../src/core/money.ts';
import type { RefundedById } from '../../src/core/refunded.ts';
import type { Order } from './payload.ts';

/** A line of a refund, in minor units. The amount includes tax if the shop's prices do. */
export interface RefundLine {
  line_item_id?: unknown;
  quantity?: unknown;
  amount: number;
  tax: number;
  isGiftCard: boolean;
}

/**
 * The paid units of each line of an order. Empty when any line cannot be read, because a refund of that line would then
 * take nothing. `quantity` includes units removed since; for an order that was edited before its payment, the current
 * quantities are what was paid.
 */
export function paidLinesOf(lines: Order['line_items'], isEdited: boolean): Pick<PaymentReceived, 'lines'> {
  if (lines.length === 0 || lines.length > LINES_MAX) return {};
  const paid: Record<string, number> = {};
  for (const line of lines) {
    const lineId = readId(line.id);
    const units = paidUnitsOf(line, isEdited);
    if (lineId === null || units === null) return {};
    if (units > 0) paid[lineId] = (paid[lineId] ?? 0) + units;
  }
  return { lines: paid };
}

/**
 * What the gift cards in an order cost, in minor units. An order that they pay for counts in full, so they would earn
 * twice. Null when any of them cannot be read.
 */
export function giftCardsOf(lines: Order['line_items'], isEdited: boolean, exponent: number): number | null {
  let costMinor = 0;
  for (const line of lines.filter(isGiftCard)) {
    const units = paidUnitsOf(line, isEdited);
    const price = typeof line.price === 'string' ? decimalToMinor(line.price, exponent) : null;
    const discounts = (line.discount_allocations ?? []).map(({ amount }) => decimalToMinor(amount, exponent));
    if (units === null || price === null || price < 0) return null;
    const discountMinor = discounts.reduce<number>((sum, amount) => sum + (amount ?? 0), 0);
    costMinor += Math.max(0, price * units - discountMinor);
  }
  return costMinor;
}

/** Takes a line of an order, also the one in a line of a refund. */
export function isGiftCard(line: unknown): boolean {
  return typeof line === 'object' && line !== null && 'gift_card' in line && line.gift_card === true;
}

function paidUnitsOf({ quantity, current_quantity: current }: Order['line_items'][number], isEdited: boolean) {
  return readQuantity(isEdited ? (current ?? quantity) : quantity);
}

/**
 * The lines of a refund, plus one for the rest of its amount, with its tax. Empty when any line cannot be read; then no line
 * is distinguished.
 */
export function refundedLinesOf(
  lines: readonly RefundLine[],
  restMinor: number,
  isTaxIncluded: boolean,
): Pick<RefundedById, 'lines'> {
  if (lines.length === 0 || lines.length > LINES_MAX) return {};
  const refunded: RefundedById['lines'] = [];
  for (const { line_item_id: id, quantity: text, amount, tax, isGiftCard: isCard } of lines) {
    const lineId = readId(id);
    const quantity = readQuantity(text);
    const amountMinor = isTaxIncluded ? amount : amount + tax;
    const netMinor = isTaxIncluded ? amount - tax : amount;
    if (lineId === null || !quantity || netMinor < 0 || netMinor > amountMinor) return {};
    refunded.push({ lineId, quantity, amountMinor, commissionableMinor: isCard ? 0 : netMinor });
  }
  if (restMinor > 0 && lines.length < LINES_MAX) {
    refunded.push({ lineId: null, quantity: 1, amountMinor: restMinor, commissionableMinor: 0 });
  }
  return { lines: refunded };
}

/** Numbers arrive as their source text. */
function readId(id: unknown): string | null {
  return typeof id === 'string' && /^[1-9]\d{0,19}$/.test(id) ? id : null;
}

function readQuantity(quantity: unknown): number | null {
  return typeof quantity === 'string' && /^\d{1,9}$/.test(quantity) ? Number(quantity) : null;
}
