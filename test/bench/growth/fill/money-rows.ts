/** The rows of sales, refunds and the ledger, with the amounts that the product itself would have stored. */
import { reversalOf } from '../../../../src/core/reversal.ts';
import { ACCOUNT_ID, ENDPOINT_ID, type Names, PROGRAM_ID } from './names.ts';
import { type TableRows, TERMS, type Value } from './rows.ts';
import { amountsOf, HOLD_MS, partnerOfLink, refundedOf, type Shape } from './shape.ts';

/** A processor reports a payment a few seconds after it was made. */
const REPORTED_AFTER_MS = 4_000;
const HEADERS = JSON.stringify({
  'content-type': 'application/json; charset=utf-8',
  'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
});

export function moneyTables(shape: Shape, names: Names): TableRows[] {
  return [
    {
      table: 'payments',
      columns: ['id', 'account_id', 'processor', 'state', 'sale_id', 'delivery_id', 'occurred_at', 'created_at'],
      rows: paymentRows(shape, names),
    },
    {
      table: 'payment_references',
      columns: ['account_id', 'value', 'processor', 'payment_id'],
      rows: referenceRows(shape, names),
    },
    saleTable(shape, names),
    deliveryTable(shape, names),
    {
      table: 'refunds',
      columns: ['account_id', 'processor', 'refund_key', 'payment_id', 'kind', 'amount', 'currency', 'failed'].concat([
        'delivery_id',
        'occurred_at',
        'created_at',
      ]),
      rows: refundRows(shape, names),
    },
    {
      table: 'ledger_entries',
      columns: [
        'id',
        'account_id',
        'partner_id',
        'sale_id',
        'kind',
        'amount',
        'currency',
        'available_at',
        'created_at',
      ],
      rows: entryRows(shape, names),
    },
  ];
}

function* paymentRows(shape: Shape, names: Names): Generator<Value[]> {
  for (let sale = 0; sale < shape.sales; sale++) {
    const [processor, delivery] = shape.isWebhook(sale) ? ['stripe', names.delivery(sale)] : ['custom', null];
    const times = [occurredAt(shape, sale), shape.saleAt(sale)];
    yield [
      names.payment(sale),
      ACCOUNT_ID,
      processor as string,
      'counted',
      names.sale(sale),
      delivery as Value,
      ...times,
    ];
  }
}

function* referenceRows(shape: Shape, names: Names): Generator<Value[]> {
  for (let place = 0; place < shape.webhookSales; place++) {
    const sale = shape.saleOfWebhook(shape.paymentOrder.rowAt(place));
    yield [ACCOUNT_ID, names.paymentIntent(sale), 'stripe', names.payment(sale)];
  }
}

function saleTable(shape: Shape, names: Names): TableRows {
  const owner = ['program_id', 'partner_id', 'link_id', 'click_id', 'customer_id', 'payment_id'];
  const amounts = ['amount', 'gross_amount', 'currency', 'commission_amount', 'terms', 'available_at'];
  const state = ['refunded_amount', 'disputed_open', 'matched_by', 'steps', 'occurred_at', 'created_at'];
  const what = ['event_name', 'invoice_id', 'payment_processor'];
  return {
    table: 'sales',
    columns: ['id', 'account_id', ...owner, ...what, ...amounts, ...state],
    rows: saleRows(shape, names),
  };
}

function* saleRows(shape: Shape, names: Names): Generator<Value[]> {
  for (let sale = 0; sale < shape.sales; sale++) {
    const customer = shape.customerOf(sale);
    const link = shape.linkOf(customer);
    const ids = {
      link: names.linkAt(link),
      partner: names.partnerAt(partnerOfLink(link)),
      click: names.click(customer),
    };
    const { net, gross, commission } = amountsOf(sale);
    const isWebhook = shape.isWebhook(sale);
    const externalId = names.externalId(customer);
    const found = `customer ${externalId}, partner ${ids.partner}, link ${ids.link}`;
    const match = isWebhook
      ? { step: 'external_id', value: externalId, result: 'matched', reason: `invoice.metadata: ${found}` }
      : { step: 'click_id', value: ids.click, result: 'matched', reason: `the click given with the sale: ${found}` };
    const reason = '20% of the sale, terms of the program';
    const steps = [match, { step: 'commission', value: String(commission), result: 'noted', reason }];
    const owner = [PROGRAM_ID, ids.partner, ids.link, ids.click, names.customer(customer), names.payment(sale)];
    const what = isWebhook ? ['Renewal', names.invoice(sale), 'stripe'] : ['Purchase', names.invoice(sale), 'custom'];
    const amounts = [net, gross, 'usd', commission, TERMS, availableAt(shape, sale)];
    const refunded = shape.isRefunded(sale) ? refundedOf(sale) : 0;
    const state = [refunded, 0, match.step, JSON.stringify(steps), occurredAt(shape, sale), shape.saleAt(sale)];
    yield [names.sale(sale), ACCOUNT_ID, ...owner, ...what, ...amounts, ...state];
  }
}

function deliveryTable(shape: Shape, names: Names): TableRows {
  const what = ['endpoint_id', 'processor', 'delivery_key', 'event_type', 'status', 'outcome', 'sale_id'];
  return {
    table: 'deliveries',
    columns: ['id', 'account_id', ...what, 'attempts', 'received_at', 'headers'],
    rows: deliveryRows(shape, names),
  };
}

/** Without their bodies, as after `DELIVERY_RETENTION_DAYS`. */
function* deliveryRows(shape: Shape, names: Names): Generator<Value[]> {
  for (const { kind, sale } of shape.moneyEvents()) {
    if (!shape.isWebhook(sale)) continue;
    const [id, type, outcome, at] =
      kind === 'sale'
        ? [names.delivery(sale), 'invoice.paid', 'sale', shape.saleAt(sale)]
        : [names.refundDelivery(sale), 'refund.created', 'reversal', shape.refundAt(sale)];
    const what = [ENDPOINT_ID, 'stripe', names.event(sale, kind), type as string, 'processed', outcome as string];
    yield [id as string, ACCOUNT_ID, ...what, names.sale(sale), 1, at as number, HEADERS];
  }
}

function* refundRows(shape: Shape, names: Names): Generator<Value[]> {
  for (let sale = 0; sale < shape.sales; sale++) {
    if (!shape.isRefunded(sale)) continue;
    const [processor, delivery] = shape.isWebhook(sale) ? ['stripe', names.refundDelivery(sale)] : ['custom', null];
    const refund = ['refund', refundedOf(sale), 'usd', 0];
    const times = [shape.refundAt(sale) - REPORTED_AFTER_MS, shape.refundAt(sale)];
    yield [
      ACCOUNT_ID,
      processor as string,
      names.refund(sale),
      names.payment(sale),
      ...refund,
      delivery as Value,
      ...times,
    ];
  }
}

function* entryRows(shape: Shape, names: Names): Generator<Value[]> {
  for (const { kind, sale } of shape.moneyEvents()) {
    const partner = names.partnerAt(partnerOfSale(shape, sale));
    const [id, entryKind, amount, at] =
      kind === 'sale'
        ? [names.commissionEntry(sale), 'commission', amountsOf(sale).commission, shape.saleAt(sale)]
        : [names.reversalEntry(sale), 'reversal', -reversedOf(sale), shape.refundAt(sale)];
    const owner = [id as string, ACCOUNT_ID, partner, names.sale(sale)];
    yield [...owner, entryKind as string, amount as number, 'usd', availableAt(shape, sale), at as number];
  }
}

/** The part of the commission that the sale's refund takes back. */
export function reversedOf(sale: number): number {
  const { net, gross, commission } = amountsOf(sale);
  const sold = { amountMinor: net, amountBasis: 'net', grossMinor: gross, commissionMinor: commission } as const;
  const amount = { amountMinor: refundedOf(sale), commissionableMinor: null, lines: [], isPresented: false };
  const refund = {
    refundKey: `re_${sale}`,
    kind: 'refund',
    chargeId: null,
    releasedMinor: null,
    ...amount,
    reportedAt: 0,
    failed: false,
  } as const;
  return reversalOf({ ...sold, presentedMinor: null, paidLines: null, voided: false }, [refund], []).reversedMinor;
}

export function partnerOfSale(shape: Shape, sale: number): number {
  return partnerOfLink(shape.linkOf(shape.customerOf(sale)));
}

function occurredAt(shape: Shape, sale: number): number {
  return shape.saleAt(sale) - (shape.isWebhook(sale) ? REPORTED_AFTER_MS : 0);
}

function availableAt(shape: Shape, sale: number): number {
  return occurredAt(shape, sale) + HOLD_MS;
}
