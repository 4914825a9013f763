import { z } from 'zod';
import type { TransferResult } from '../contract/transfer.ts';

/** The payment in Stripe's terms. */
export interface TransferOrder {
  /** In Stripe's unit. */
  amount: number;
  currency: string;
  destination: string;
  transfer_group: string;
}

/** What of a transfer is relied on. Stripe answers ids as objects when it is asked to expand them. */
export const transferSchema = z.object({
  object: z.literal('transfer'),
  id: z.string().regex(/^tr_\w{1,250}$/),
  amount: z.int().positive(),
  amount_reversed: z.int().nonnegative(),
  reversed: z.boolean(),
  currency: z.string(),
  destination: z.string().nullable(),
  transfer_group: z.string().nullable(),
});
export type MadeTransfer = z.output<typeof transferSchema>;

const MEMBERS = ['amount', 'currency', 'destination', 'transfer_group'] as const;

/** What a transfer that Stripe has made means for the payment that was ordered. */
export function resultOf(made: MadeTransfer, order: TransferOrder): Exclude<TransferResult, { outcome: 'refused' }> {
  const { id, reversed, amount_reversed, amount } = made;
  const contradicted = (reason: string) => ({ outcome: 'contradicted' as const, reason, transferId: id });
  const others = MEMBERS.filter((member) => made[member] !== order[member]);
  if (others.length > 0) return contradicted(`Stripe made the transfer ${id} with another ${others.join(' and ')}`);
  if (reversed) return contradicted(`All of the transfer ${id} was taken back at Stripe`);
  if (amount_reversed > 0) {
    const part = `${amount_reversed} of ${amount} units of ${order.currency.toUpperCase()}`;
    return contradicted(`A part of the transfer ${id} was taken back at Stripe: ${part}`);
  }
  return { outcome: 'sent', transferId: id };
}
