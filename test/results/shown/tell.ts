import type { Answer } from '../../helpers/app.ts';
import {
  chargeRefunded,
  checkoutCompleted,
  disputeOf,
  invoicePaid,
  invoicePaymentPaid,
  refundOf,
} from '../../helpers/stripe-payloads.ts';
import type { Cast } from './cast.ts';
import { decimalOf } from './rows.ts';
import type { Kind, Step } from './steps.ts';

const HOUR_MS = 3_600_000;
/** More than any payment. */
const TOO_MUCH = 30_000;

/** The currency of a payment and of all that is reported of it. */
const currencyOf = ({ payment }: Step): string =>
  ['usd', 'usd', 'jpy', 'kwd', 'usd', 'eur', 'usd', 'jpy'][payment] ?? 'usd';

const intentOf = (cast: Cast, { payment }: Step) => `pi_${cast.name}_${payment}`;
const invoiceOf = (cast: Cast, { payment }: Step) => `in_${cast.name}_${payment}`;
const customerOf = (cast: Cast, { other }: Step) => cast.customer(other);
const partnerOf = ({ partners }: Cast, { one }: Step) => partners[one % partners.length];
const clickOf = ({ clicks }: Cast, { one }: Step) => clicks.at(-1 - (one % clicks.length));

type Tell = (cast: Cast, step: Step) => Promise<Answer | undefined>;

/** An event of Stripe in the currency of the payment. */
function inCurrency<Event extends { data: { object: object } }>(event: Event, step: Step, fields: object = {}) {
  return { ...event, data: { object: { ...event.data.object, currency: currencyOf(step), ...fields } } };
}

const refund =
  (state: 'succeeded' | 'failed'): Tell =>
  (cast, step) => {
    const id = `re_${cast.name}_${step.payment}_${step.other}`;
    return cast.deliver(inCurrency(refundOf(intentOf(cast, step), id, step.amountMinor, state), step));
  };

const archiving =
  (verb: 'archive' | 'unarchive'): Tell =>
  (cast, { one, other, way }) => {
    const link = `links/${cast.links[one]?.id}`;
    const paths = [link, `partners/${cast.partners[other]?.id}`, `programs/${cast.programIds[one % 2]}`];
    return cast.post(`/api/${paths[way] ?? link}/${verb}`);
  };

const STATUSES = ['needs_response', 'needs_response', 'won', 'lost'] as const;
const IMPORTED = ['due', 'paid', 'voided', ''] as const;

/** A row of a CSV file: what both kinds of commissions state, of a time before now. */
const importedRow = (cast: Cast, step: Step) => [
  partnerOf(cast, step)?.email,
  decimalOf(step.amountMinor, currencyOf(step)),
  currencyOf(step),
  new Date(cast.clock.now - step.ms).toISOString(),
  IMPORTED[step.way],
];

const TELL: Readonly<Record<Kind, Tell>> = {
  pass: async ({ clock }, { ms }) => {
    clock.now += ms;
    return undefined;
  },
  click: (cast, { one }) => cast.click(one),
  lead: (cast, step) => {
    const click = clickOf(cast, step);
    const referrer = cast.partners.find(({ id }) => id === click?.partnerId);
    const own = step.way === 0 ? { customerEmail: referrer?.email } : {};
    const customerExternalId = customerOf(cast, step);
    return cast.post('/api/track/lead', {
      clickId: click?.id,
      customerExternalId,
      eventName: `Event ${step.way}`,
      ...own,
    });
  },
  sale: (cast, step) => {
    const named = step.way === 0 ? {} : { invoiceId: invoiceOf(cast, step) };
    const sold = { amount: step.amountMinor, currency: currencyOf(step), ...named };
    const [clickId, customerExternalId] = [clickOf(cast, step)?.id, customerOf(cast, step)];
    return cast.post('/api/track/sale', { clickId, customerExternalId, ...sold });
  },
  webhook: (cast, step) => {
    const paid = { amount: step.amountMinor + 100, tax: 100, currency: currencyOf(step) };
    const externalId = step.way === 3 ? null : customerOf(cast, step);
    const event = checkoutCompleted({ ...paid, externalId, paymentIntent: intentOf(cast, step) });
    return cast.deliver(event, step.way === 1 ? 3 * HOUR_MS : 0);
  },
  invoice: (cast, step) => {
    const user = customerOf(cast, step);
    const payer = { customer: `cus_${user}`, subscription: `sub_${user}`, externalId: step.way < 2 ? user : null };
    const paid = { invoice: invoiceOf(cast, step), amount: step.amountMinor, currency: currencyOf(step) };
    return cast.deliver(invoicePaid({ ...payer, ...paid }));
  },
  join: (cast, step) => cast.deliver(invoicePaymentPaid(invoiceOf(cast, step), intentOf(cast, step))),
  refund: refund('succeeded'),
  'failed refund': refund('failed'),
  'total refund': (cast, step) => {
    const refunded = step.way === 0 ? TOO_MUCH : step.amountMinor;
    return cast.deliver(chargeRefunded(intentOf(cast, step), TOO_MUCH, refunded, currencyOf(step)));
  },
  dispute: (cast, step) => {
    const amount = step.way === 3 ? TOO_MUCH : step.amountMinor;
    const event = disputeOf(intentOf(cast, step), `dp_${cast.name}_${step.payment}`, amount);
    const status = STATUSES[step.one];
    const type = status === 'needs_response' ? event.type : 'charge.dispute.closed';
    return cast.deliver({ ...inCurrency(event, step, { status }), type });
  },
  'api refund': async (cast, step) => {
    const { payment, other, amountMinor, way } = step;
    const body = { refundId: `own_${payment}_${other}`, amount: way === 0 ? TOO_MUCH : amountMinor };
    if (way < 2) return cast.post('/api/refunds', { invoiceId: invoiceOf(cast, step), ...body });
    const sale = await cast.find('/api/sales?limit=8', payment);
    return sale && cast.post(`/api/sales/${sale.id}/refunds`, body);
  },
  review: async (cast, { one, way }) => {
    const sale = await cast.find('/api/sales?review=flagged', one);
    return sale && cast.post(`/api/sales/${sale.id}/${way === 0 ? 'approve' : 'reject'}`);
  },
  adjust: (cast, step) => {
    const amount = step.way < 2 ? step.amountMinor : -step.amountMinor;
    const body = { partnerId: partnerOf(cast, step)?.id, amount, currency: currencyOf(step), reason: 'Bonus' };
    return cast.post('/api/adjustments', body);
  },
  attribute: async (cast, step) => {
    const parked = await cast.find('/api/parked-payments?limit=8', step.payment);
    const by = [{ customerExternalId: customerOf(cast, step) }, { clickId: clickOf(cast, step)?.id }];
    const body = by[step.way] ?? { partnerId: partnerOf(cast, step)?.id };
    return parked && cast.post(`/api/parked-payments/${parked.id}/attribute`, body);
  },
  run: (cast) => cast.post('/api/payouts/run'),
  end: async (cast, { one, way }) => {
    const payout = await cast.find('/api/payouts?status=processing', one);
    return payout && cast.post(`/api/payouts/${payout.id}/${['paid', 'paid', 'failed', 'cancel'][way]}`);
  },
  file: async (cast, { way }) => {
    await cast.post('/api/payouts/run');
    return cast.post('/api/payouts/files', { rail: 'paypal', currency: way < 3 ? 'usd' : 'eur' });
  },
  'hand over': (cast, { one, other }) => cast.handOver(one, other),
  archive: archiving('archive'),
  restore: archiving('unarchive'),
  terms: (cast, { one, other, amountMinor, way }) => {
    const rate = { type: 'percentage', rateBasisPoints: amountMinor % 10_001 };
    const commission = way === 0 ? { type: 'flat', amounts: { usd: 50, jpy: 3 } } : rate;
    return cast.patch(`/api/programs/${cast.programIds[one % 2]}`, { commission, holdDays: [0, 1, 30][other] });
  },
  erase: (cast, step) => cast.app.call('DELETE', `/api/customers/${customerOf(cast, step)}/personal-data`),
  'import sales': (cast, step) => {
    const commission = decimalOf(Math.ceil(step.amountMinor / 5), currencyOf(step));
    const row = [...importedRow(cast, step), invoiceOf(cast, step), customerOf(cast, step), commission];
    return cast.importRow('sales', 'partner,amount,currency,date,status,invoiceId,customer,commission', row);
  },
  'import commissions': (cast, step) => {
    // a commission has a state
    const row = importedRow(cast, step).map((cell) => (cell === '' ? 'due' : cell));
    const id = `c${step.payment}${step.other}`;
    return cast.importRow('commissions', 'partner,amount,currency,date,status,id', [...row, id]);
  },
};

/**
 * Lets one event happen. Many are refused, because what they name is not there, or is over.
 *
 * @throws Error when the service failed, or did not accept a signature
 */
export async function tell(cast: Cast, step: Step): Promise<void> {
  const answer = await TELL[step.do](cast, step);
  if (answer !== undefined && (answer.status >= 500 || answer.status === 401)) {
    throw new Error(`${step.do}: ${answer.status} ${answer.text}`);
  }
}
