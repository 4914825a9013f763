import { z } from 'zod';
import { parseInput } from '../../../schema/parse.ts';
import { refused } from '../../manifest.ts';
import type { MovedPerson, MovedSale, MovedStatus, NotCarried, SourceItem } from '../../moved/facts.ts';
import { leftOut, leftOutState } from '../left-out.ts';
import {
  currencyIn,
  destinationOf,
  givenCurrency,
  idField,
  idOrNull,
  joinName,
  minorField,
  oneProgram,
  statusIn,
  textOrNull,
  timeField,
} from '../records.ts';
import { customerAtStripe } from '../stripe-ids.ts';

const VIA = ['ps_partner_key'];

/** The API does not return the offers of groups, so all partners join one program here. */
export const PROGRAM = oneProgram('PartnerStack', VIA);

const partnershipSchema = z.object({
  key: idField,
  email: textOrNull,
  first_name: textOrNull,
  last_name: textOrNull,
  approved_status: textOrNull,
});

export function partnerItems(record: unknown): SourceItem[] {
  const partner = parseInput(partnershipSchema, record);
  const { key: id, email, first_name: firstName, last_name: lastName, approved_status: state } = partner;
  if (email === null) throw refused('It has no e-mail address, by which partners are identified here');
  const name = joinName(firstName, lastName) || email;
  const items: SourceItem[] = [{ kind: 'partner', id, programId: PROGRAM.id, email, name, tenantId: null }];
  if (state !== null && state !== 'approved') {
    items.push(leftOutState(state, { id, email }));
  }
  return items;
}

const linkSchema = z.object({ key: idField, dest: z.string(), url: z.string() });

export function linkItems(record: unknown, partnerId: string): SourceItem[] {
  const { key: id, dest, url } = parseInput(linkSchema, record);
  const token = tokenOf(url);
  const destination = destinationOf(dest, VIA);
  if (token === null || destination === null)
    throw refused(`${JSON.stringify(url)} has no token, or its destination is not an http URL`);
  return [{ kind: 'link', id, partnerId, domain: null, key: token, url: destination }];
}

/** The key of the link in its address: a parameter, or the last part of the path. */
function tokenOf(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { searchParams, pathname } = new URL(url);
  return searchParams.get('ps_partner_key') ?? (pathname.split('/').findLast((part) => part !== '') || null);
}

const customerSchema = z.object({
  key: idField,
  customer_key: textOrNull,
  provider_key: textOrNull,
  name: textOrNull,
  email: textOrNull,
  partnership_key: idOrNull,
  test: z.boolean().nullish(),
});

export function customerItems(record: unknown): SourceItem[] {
  const { key: id, partnership_key: partnerId, test, ...customer } = parseInput(customerSchema, record);
  const leaveOut = (reason: string) => [leftOut('customer', reason, id)];
  if (test === true) return leaveOut('It is a test');
  if (partnerId === null) return leaveOut('No partner referred it');
  const externalId = customer.customer_key ?? customer.provider_key;
  if (externalId === null) return leaveOut('It has no key of yours or of a processor, so no payment could name it');
  const { provider_key: providerId, name, email } = customer;
  return [{ kind: 'customer', id, partnerId, externalId, name, email, atProcessor: customerAtStripe(providerId) }];
}

const STATUSES: Readonly<Record<string, MovedStatus>> = {
  pending: 'open',
  approved: 'open',
  scheduled: 'open',
  paid: 'paid',
  declined: 'reversed',
};

/** Where the money of a reward is. The company has already paid what a partner can withdraw. */
const PAYMENT_STATUSES: Readonly<Record<string, MovedStatus>> = {
  available: 'paid',
  in_transit: 'paid',
  withdrawn: 'paid',
  paid_externally: 'paid',
  paid_and_refunded: 'reversed',
};

const rewardSchema = z.object({
  key: idField,
  amount: minorField,
  currency: currencyIn.nullish(),
  created_at: timeField,
  reward_status: z.string(),
  payment_status: textOrNull,
  partnership_key: idOrNull,
  partnership: z.object({ key: idField }).nullish(),
  customer: z.object({ email: textOrNull, customer_key: textOrNull, external_key: textOrNull }).nullish(),
  transaction: z.object({ amount: minorField, currency: currencyIn.nullish() }).nullish(),
  invoice: z.object({ key: textOrNull }).nullish(),
  test: z.boolean().nullish(),
});
type Reward = z.output<typeof rewardSchema>;

/** @param accountCurrency of a reward that has none */
export function commissionItems(record: unknown, accountCurrency: string): SourceItem[] {
  const reward = parseInput(rewardSchema, record);
  const { key: id, amount, created_at: occurredAt } = reward;
  if (reward.test === true) return [leftOut('commission', 'It is a test', id)];
  const partnerId = reward.partnership_key ?? reward.partnership?.key;
  if (partnerId === undefined) throw refused('It does not say which partner earned it');
  const currency = reward.currency ?? givenCurrency(accountCurrency);
  return [
    {
      kind: 'commission',
      id,
      partnerId,
      amountMinor: amount,
      currency,
      status: statusOf(reward),
      occurredAt,
      dueAt: null,
      paidAt: null,
      // a reward does not say which withdrawal paid it
      payout: null,
      payment: { processor: 'custom', invoiceId: reward.invoice?.key ?? null, references: [] },
      sale: amount < 0 ? null : saleOf(reward, currency),
    },
  ];
}

function statusOf({ reward_status: status, payment_status: payment }: Reward): MovedStatus {
  const decided = statusIn(STATUSES, status);
  return decided === 'reversed' || payment === null ? decided : statusIn(PAYMENT_STATUSES, payment);
}

function saleOf({ customer, transaction }: Reward, currency: string): MovedSale | null {
  const externalId = customer?.customer_key ?? customer?.external_key ?? null;
  if (externalId === null || transaction == null) return null;
  const person: MovedPerson = { externalId, email: customer?.email ?? null, name: null, atProcessor: null };
  const amounts = { amountMinor: transaction.amount, grossMinor: transaction.amount, refundedMinor: 0 };
  return { customer: person, ...amounts, currency: transaction.currency ?? currency };
}

/** What the API does not return, or what has no place here. */
export const LEFT_OUT: readonly NotCarried[] = [
  leftOut('offers', 'The API does not report them: set the terms in the program here'),
  leftOut('payouts', 'Rewards do not name their payouts: each paid one has its own payout'),
  leftOut('clicks', 'Only their number is reported'),
];
