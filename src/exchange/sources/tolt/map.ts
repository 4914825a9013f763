import { z } from 'zod';
import { PAYMENT_PROCESSORS, type PaymentProcessor } from '../../../core/processor.ts';
import { parseInput } from '../../../schema/parse.ts';
import { refused } from '../../manifest.ts';
import type { MovedPayment, MovedPerson, MovedSale, MovedStatus, NotCarried, SourceItem } from '../../moved/facts.ts';
import { leftOut, leftOutState } from '../left-out.ts';
import {
  destinationOf,
  givenCurrency,
  idField,
  idOrNull,
  joinName,
  minorField,
  statusIn,
  textOrNull,
  timeField,
} from '../records.ts';
import { customerAtStripe, isStripePayment } from '../stripe-ids.ts';

const partnerSchema = z.object({
  id: idField,
  email: z.string(),
  first_name: textOrNull,
  last_name: textOrNull,
  company_name: textOrNull,
  status: textOrNull,
});

export function partnerItems(record: unknown, programId: string): SourceItem[] {
  const partner = parseInput(partnerSchema, record);
  const { id, email, status, first_name: firstName, last_name: lastName, company_name: company } = partner;
  const name = joinName(firstName, lastName) || company || email;
  const items: SourceItem[] = [{ kind: 'partner', id, programId, email, name, tenantId: null }];
  if (status !== null && status !== 'active') {
    items.push(leftOutState(status, { id, email }));
  }
  return items;
}

/** A record that names its partner, by id or expanded. */
const ofPartner = { partner_id: idOrNull, partner: z.object({ id: idField }).nullish() };

function partnerIdIn(record: { partner_id: string | null; partner?: { id: string } | null | undefined }): string {
  const id = record.partner_id ?? record.partner?.id;
  if (id === undefined) throw refused('It does not say which partner it belongs to');
  return id;
}

const linkSchema = z.object({ id: idField, param: z.string().min(1), value: z.string().min(1), ...ofPartner });

/** @param linkUrl where links lead: Tolt's links are parameters of any page */
export function linkItems(record: unknown, linkUrl: string | null): SourceItem[] {
  const link = parseInput(linkSchema, record);
  const { id, param, value: key } = link;
  if (linkUrl === null) throw refused('Tolt does not report its destination: give it with --link-url');
  const url = destinationOf(linkUrl, [param]);
  if (url === null) throw refused(`${JSON.stringify(linkUrl)} is not an http URL`);
  return [{ kind: 'link', id, partnerId: partnerIdIn(link), domain: null, key, url }];
}

const customerSchema = z.object({
  id: idField,
  /** The id of referred customers in the app. */
  customer_id: textOrNull,
  name: textOrNull,
  email: textOrNull,
  ...ofPartner,
});

/** By Tolt's id: the customers with an id in the app, which the customer of a commission may lack. */
export type People = Map<string, MovedPerson>;

export function customerItems(record: unknown, people: People): SourceItem[] {
  const customer = parseInput(customerSchema, record);
  const { id } = customer;
  const person = personOf(customer);
  if (person !== null) {
    people.set(id, person);
    return [{ kind: 'customer', id, partnerId: partnerIdIn(customer), ...person }];
  }
  return [leftOut('customer', 'It has no id of yours, so no payment could name it', id)];
}

type Customer = z.output<typeof customerSchema>;

/** A customer whose own id is a Stripe id has that id at Stripe, too. */
function personOf({
  customer_id: externalId,
  name,
  email,
}: Pick<Customer, 'customer_id' | 'name' | 'email'>): MovedPerson | null {
  if (externalId === null) return null;
  return { externalId, name, email, atProcessor: customerAtStripe(externalId) };
}

const STATUSES: Readonly<Record<string, MovedStatus>> = {
  pending: 'open',
  approved: 'open',
  paid: 'paid',
  rejected: 'reversed',
  refunded: 'reversed',
};

const commissionSchema = z.object({
  id: idField,
  amount: minorField,
  revenue: minorField.nullish(),
  status: z.string(),
  charge_id: textOrNull,
  transaction_id: textOrNull,
  source: textOrNull,
  created_at: timeField,
  /** Tolt's own id. */
  customer_id: textOrNull,
  customer: customerSchema.omit({ partner: true, partner_id: true }).nullish(),
  ...ofPartner,
});

/** @param currency of the program, because a commission has none */
export function commissionItems(
  record: unknown,
  { currency, people }: { currency: string; people: People },
): SourceItem[] {
  const commission = parseInput(commissionSchema, record);
  const of = givenCurrency(currency);
  return [
    {
      kind: 'commission',
      id: commission.id,
      partnerId: partnerIdIn(commission),
      amountMinor: commission.amount,
      currency: of,
      status: statusIn(STATUSES, commission.status),
      occurredAt: commission.created_at,
      dueAt: null,
      paidAt: null,
      // Tolt does not say which payout a commission is in
      payout: null,
      payment: paymentOf(commission),
      // a refund of what was paid has a negative commission
      sale: commission.amount < 0 ? null : saleOf(commission, of, people),
    },
  ];
}

type ToltCommission = z.output<typeof commissionSchema>;

function paymentOf({ source, charge_id: chargeId }: ToltCommission): MovedPayment {
  const references = chargeId === null ? [] : [chargeId];
  return { processor: processorOf(source, chargeId), invoiceId: null, references };
}

function saleOf(
  { customer, customer_id: customerId, revenue }: ToltCommission,
  currency: string,
  people: People,
): MovedSale | null {
  const known = people.get(customer?.id ?? customerId ?? '');
  const person = known ?? (customer == null ? null : personOf(customer));
  if (person === null || revenue == null) return null;
  return { customer: person, amountMinor: revenue, grossMinor: revenue, refundedMinor: 0, currency };
}

/** A source such as `api` names no processor, but its charge may. */
function processorOf(source: string | null, chargeId: string | null): PaymentProcessor {
  const named = PAYMENT_PROCESSORS.find((name) => name === source?.trim().toLowerCase());
  return named ?? (chargeId !== null && isStripePayment(chargeId) ? 'stripe' : 'custom');
}

/** What the API does not return, or what has no place here. */
export const LEFT_OUT: readonly NotCarried[] = [
  leftOut('terms', 'Commission flows are not reported in full: set the terms in the program here'),
  leftOut('payouts', 'They do not name their commissions: each paid one has its own payout'),
  leftOut('clicks', 'Only their number is reported'),
];
