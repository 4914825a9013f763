import { z } from 'zod';
import { parseInput } from '../../../schema/parse.ts';
import { refused } from '../../manifest.ts';
import type { MovedPayout, SourceItem } from '../../moved/facts.ts';
import { leftOut } from '../left-out.ts';
import { currencyIn, idField, minorField, type PayoutOfCommission, timeOrNull } from '../records.ts';

/** All payouts, which are read before the commissions in them. */
export interface Payouts {
  items: MovedPayout[];
  ofCommission: Map<string, PayoutThen>;
}

/** A payout as it was when it was read. It may have been paid since. */
export interface PayoutThen extends PayoutOfCommission {
  isUnderway: boolean;
}

const payoutSchema = z.object({
  id: idField,
  amount: minorField,
  currency: currencyIn,
  state: z.string(),
  paid_at: timeOrNull,
  affiliate: z.object({ id: idField }),
  commissions: z.array(z.object({ id: idField })),
});

/** Adds a payout to the others. An unpaid payout becomes nothing: its commissions are open. */
export function readPayout(record: unknown, payouts: Payouts): SourceItem[] {
  const payout = parseInput(payoutSchema, record);
  const { id, state, paid_at: paidAt } = payout;
  const remember = (then: Omit<PayoutThen, 'id'>) => {
    for (const commission of payout.commissions) payouts.ofCommission.set(commission.id, { id, ...then });
  };
  switch (state) {
    case 'paid':
      if (paidAt === null) throw refused('It is paid, but does not say when');
      remember({ paidAt, isUnderway: false });
      payouts.items.push({
        kind: 'payout',
        id,
        partnerId: payout.affiliate.id,
        amountMinor: payout.amount,
        currency: payout.currency,
        paidAt,
      });
      return [];
    case 'processing':
      remember({ paidAt: null, isUnderway: true });
      return [leftOut('payout', 'It is being paid: import again when it is paid', id)];
    case 'pending':
    case 'due':
      remember({ paidAt: null, isUnderway: false });
      return [leftOut('payout', 'It is not paid: its commissions are open here', id)];
    default:
      throw refused(`Its state ${JSON.stringify(state)} is not known here`);
  }
}
