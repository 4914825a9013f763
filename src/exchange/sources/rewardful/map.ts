import { z } from 'zod';
import type { PaymentProcessor } from '../../../core/processor.ts';
import type { Commission } from '../../../core/terms.ts';
import { parseInput } from '../../../schema/parse.ts';
import { refused } from '../../manifest.ts';
import type { MovedPayment, MovedPerson, MovedSale, MovedStatus, NotCarried, SourceItem } from '../../moved/facts.ts';
import { leftOut, leftOutState } from '../left-out.ts';
import {
  basisPointsOf,
  currencyIn,
  destinationOf,
  EARNS_NO_MORE,
  idField,
  idOrNull,
  joinName,
  minorField,
  statusIn,
  textOrNull,
  timeField,
  timeOrNull,
} from '../records.ts';
import type { PayoutThen } from './payouts.ts';

const VIA = ['via'];

const campaignSchema = z.object({
  id: idField,
  name: z.string(),
  reward_type: z.string(),
  commission_percent: z.union([z.number(), z.string()]).nullish(),
  commission_amount_cents: minorField.nullish(),
  commission_amount_currency: currencyIn.nullish(),
  minimum_payout_cents: minorField.nullish(),
  minimum_payout_currency: currencyIn.nullish(),
  max_commission_period_months: z.number().int().min(0).nullish(),
  max_commissions: z.number().int().nullish(),
  days_until_commissions_are_due: z.number().int().min(0).nullish(),
});

export function programItems(record: unknown): SourceItem[] {
  const campaign = parseInput(campaignSchema, record);
  const { id, name, max_commissions: limit, minimum_payout_cents: minimum, minimum_payout_currency: of } = campaign;
  const notes: SourceItem[] = [];
  const note = (reason: string) => notes.push(leftOut('terms', reason, id));
  if (limit != null) note(`${name} pays at most ${limit} commissions per customer; here months limit them`);
  if (minimum != null && minimum > 0 && of == null) note('Its minimum payout has no currency: set it in the program');
  return [
    {
      kind: 'program',
      id,
      name,
      commission: commissionOf(campaign),
      durationMonths: campaign.max_commission_period_months ?? null,
      holdDays: campaign.days_until_commissions_are_due ?? null,
      minimumPayout: minimum != null && minimum > 0 && of != null ? { [of]: minimum } : {},
      viaParameters: VIA,
    },
    ...notes,
  ];
}

function commissionOf(campaign: z.output<typeof campaignSchema>): Commission {
  const { reward_type: type, commission_percent: percent } = campaign;
  const { commission_amount_cents: amount, commission_amount_currency: currency } = campaign;
  if (type === 'percent' && percent != null) return { type: 'percentage', rateBasisPoints: basisPointsOf(percent) };
  if (type === 'amount' && amount != null && currency != null) return { type: 'flat', amounts: { [currency]: amount } };
  throw refused(`Its reward of type ${JSON.stringify(type)} is not known here, or has no amount or currency`);
}

const affiliateSchema = z.object({
  id: idField,
  email: z.string(),
  first_name: textOrNull,
  last_name: textOrNull,
  state: z.string().nullish(),
  campaign: z.object({ id: idField }).nullish(),
  links: z.array(z.object({ id: idField, url: z.string(), token: z.string() })).nullish(),
});

export function partnerItems(record: unknown): SourceItem[] {
  const affiliate = parseInput(affiliateSchema, record);
  const { id, email, state, first_name: firstName, last_name: lastName } = affiliate;
  const name = joinName(firstName, lastName) || email;
  const programId = affiliate.campaign?.id ?? null;
  const items: SourceItem[] = [{ kind: 'partner', id, programId, email, name, tenantId: null }];
  if (state !== 'active') {
    items.push(leftOutState(state ?? 'in no state', { id, email }));
  }
  for (const link of affiliate.links ?? []) {
    const url = destinationOf(link.url, VIA);
    items.push(
      url === null
        ? { kind: 'refused', what: 'link', id: link.id, reason: `${JSON.stringify(link.url)} is not an http URL` }
        : { kind: 'link', id: link.id, partnerId: id, domain: null, key: link.token, url },
    );
  }
  return items;
}

const couponSchema = z.object({
  id: idField,
  token: z.string().min(1),
  affiliate_id: idOrNull,
  affiliate: z.object({ id: idField }).nullish(),
});

export function codeItems(record: unknown): SourceItem[] {
  const { id, token: code, affiliate, affiliate_id: affiliateId } = parseInput(couponSchema, record);
  const partnerId = affiliateId ?? affiliate?.id;
  if (partnerId === undefined) throw refused('It does not say which affiliate it belongs to');
  return [{ kind: 'code', id, partnerId, code }];
}

const PROCESSORS: Readonly<Record<string, PaymentProcessor>> = { stripe: 'stripe', paddle: 'paddle' };

const referralSchema = z.object({
  id: idField,
  stripe_customer_id: textOrNull,
  deactivated_at: timeOrNull,
  customer: z.object({ platform: z.string().nullish(), id: idOrNull, name: textOrNull, email: textOrNull }).nullish(),
  affiliate: z.object({ id: idField }).nullish(),
});

export function customerItems(record: unknown): SourceItem[] {
  const referral = parseInput(referralSchema, record);
  const { id, affiliate, deactivated_at: deactivatedAt } = referral;
  const leaveOut = (reason: string) => [leftOut('customer', reason, id)];
  if (deactivatedAt !== null) return leaveOut(`The referral is deactivated: ${EARNS_NO_MORE}`);
  const person = personOf(referral);
  if (person === null) return leaveOut('It has no customer at a processor yet, so no payment could name it');
  if (affiliate == null) throw refused('It does not say which affiliate referred it');
  return [{ kind: 'customer', id, partnerId: affiliate.id, ...person }];
}

/** Rewardful does not know your ids: a customer has the processor's id, both there and here. */
function personOf({ customer, stripe_customer_id: stripeId }: z.output<typeof referralSchema>): MovedPerson | null {
  const customerId = customer?.id ?? stripeId;
  if (customerId == null) return null;
  const processor = PROCESSORS[customer?.platform ?? 'stripe'] ?? null;
  const atProcessor = processor === null ? null : { processor, customerId };
  return { externalId: customerId, email: customer?.email ?? null, name: customer?.name ?? null, atProcessor };
}

const STATUSES: Readonly<Record<string, MovedStatus>> = {
  pending: 'open',
  due: 'open',
  paid: 'paid',
  voided: 'reversed',
};

const commissionSchema = z.object({
  id: idField,
  amount: minorField,
  currency: currencyIn,
  state: z.string(),
  created_at: timeField,
  due_at: timeOrNull,
  paid_at: timeOrNull,
  sale: z.object({
    currency: currencyIn,
    charged_at: timeOrNull,
    invoiced_at: timeOrNull,
    stripe_charge_id: textOrNull,
    charge_amount_cents: minorField,
    refund_amount_cents: minorField.nullish(),
    sale_amount_cents: minorField,
    referral: referralSchema.nullish(),
    affiliate: z.object({ id: idField }).nullish(),
  }),
});

/** @param payouts the payout of each commission that is in one */
export function commissionItems(record: unknown, payouts: ReadonlyMap<string, PayoutThen>): SourceItem[] {
  const { id, amount, currency, state, sale, ...times } = parseInput(commissionSchema, record);
  const partnerId = sale.affiliate?.id ?? sale.referral?.affiliate?.id;
  if (partnerId === undefined) throw refused('It does not say which affiliate earned it');
  const status = statusIn(STATUSES, state);
  const payout = payouts.get(id);
  if (payout?.isUnderway && status !== 'paid') {
    throw refused(`Its payout ${payout.id} is being paid: import again when it is paid`);
  }
  const paidAt = status === 'paid' ? (payout?.paidAt ?? times.paid_at) : null;
  return [
    {
      kind: 'commission',
      id,
      partnerId,
      amountMinor: amount,
      currency,
      status,
      occurredAt: sale.charged_at ?? sale.invoiced_at ?? times.created_at,
      dueAt: times.due_at,
      paidAt,
      payout: payout !== undefined && paidAt !== null ? { id: payout.id, paidAt } : null,
      payment: paymentOf(sale),
      sale: saleOf(sale),
    },
  ];
}

type Sale = z.output<typeof commissionSchema>['sale'];

const customerOf = ({ referral }: Sale): MovedPerson | null => (referral == null ? null : personOf(referral));

function paymentOf(sale: Sale): MovedPayment {
  const { stripe_charge_id: charge } = sale;
  if (charge !== null) return { processor: 'stripe', invoiceId: null, references: [charge] };
  return { processor: customerOf(sale)?.atProcessor?.processor ?? 'custom', invoiceId: null, references: [] };
}

function saleOf(sale: Sale): MovedSale | null {
  const customer = customerOf(sale);
  // a sale would bind the customer
  if (customer === null || sale.referral?.deactivated_at != null) return null;
  const { sale_amount_cents: amountMinor, charge_amount_cents: charged, refund_amount_cents: refunded } = sale;
  const refundedMinor = refunded ?? 0;
  // what was refunded is no longer part of the amount
  const isLowered = charged - refundedMinor >= amountMinor;
  return {
    customer,
    amountMinor,
    grossMinor: Math.max(charged, amountMinor),
    refundedMinor: isLowered ? refundedMinor : 0,
    currency: sale.currency,
  };
}

/** What the API does not return, or what has no place here. */
export const LEFT_OUT: readonly NotCarried[] = [
  leftOut('clicks', 'The API tells only how many visitors there were, not each of them'),
  leftOut(
    'payout details',
    'Partners enter in the portal how they are paid: an address for PayPal or Wise is theirs to confirm',
  ),
];
