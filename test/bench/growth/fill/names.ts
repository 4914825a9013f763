/** The ids and names of a filled database, in the product's shapes (`src/ids.ts`), from the numbers of the rows. */
import type { IdPrefix } from '../../../../src/core/ids.ts';
import { mix, type Permutation } from './scatter.ts';
import { DAY_MS, PERIOD_MS, type Shape } from './shape.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Salts, so that rows with the same number have different ids in different tables. */
const SALTS: Partial<Record<IdPrefix, number>> = {
  cus: 11,
  led: 12,
  sal: 13,
  ent: 14,
  pmt: 15,
  dlv: 16,
  pay: 17,
  lnk: 18,
};

/** Prefix, time, UUID version 7, counter, variant, 60 pseudo-random bits. */
function rowId(prefix: IdPrefix, time: number, row: number): string {
  const salt = SALTS[prefix] ?? 10;
  const random = hex(mix(row, salt), 8) + hex(mix(row, salt + 20) >>> 4, 7);
  return `${prefix}_${hex(time, 12)}7000${VARIANTS.charAt(row % 4)}${random}`;
}

const VARIANTS = '89ab';

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}

function base36(value: number, digits: number): string {
  return value.toString(36).padStart(digits, '0');
}

/** Keys that sort like their places, spread evenly over all texts of ten digits. */
function textAt({ size }: Permutation, place: number): string {
  return base36(Math.floor(place * (2 ** 51 / size)), 10);
}

export const ACCOUNT_ID = 'acc_01900000000070008000000000000001';
export const PROGRAM_ID = 'prg_01900000000070008000000000000001';
export const ENDPOINT_ID = 'whe_01900000000070008000000000000001';
/** The domain of every link. */
export const LINK_DOMAIN = 'refer.example.com';

/** Names of the rows of one shape. */
export class Names {
  readonly shape: Shape;
  readonly partners: readonly string[];
  readonly links: readonly string[];

  constructor(shape: Shape, partners: number, links: number) {
    this.shape = shape;
    // enrolled in the weeks before the first customer
    const before = shape.from - 30 * DAY_MS;
    this.partners = Array.from({ length: partners }, (_, row) => rowId('ptr', before + row * 1_000, row));
    this.links = Array.from({ length: links }, (_, row) => rowId('lnk', before + DAY_MS + row * 1_000, row));
  }

  partnerAt(partner: number): string {
    return this.partners[partner] as string;
  }

  linkAt(link: number): string {
    return this.links[link] as string;
  }

  click(customer: number): string {
    let text = `clk_${hex(this.shape.clickAt(customer), 12)}`;
    for (let part = 0; part < 5; part++) {
      const bits = mix(customer, 30 + part);
      for (let shift = 0; shift < 32; shift += 8) text += BASE62.charAt(((bits >>> shift) & 0xff) % 62);
    }
    return text;
  }

  customer(customer: number): string {
    return rowId('cus', this.shape.customerAt(customer), customer);
  }

  lead(customer: number): string {
    return rowId('led', this.shape.customerAt(customer), customer);
  }

  /** The caller's own id of the customer. */
  externalId(customer: number): string {
    return `user_${base36(mix(customer, 40), 7)}${base36(customer, 5)}`;
  }

  /** Every second customer's address is known. */
  email(customer: number): string | null {
    return customer % 2 === 0 ? `${base36(mix(customer, 41), 7)}@example.com` : null;
  }

  /** Stripe's id of the customer. */
  processorCustomer(customer: number): string {
    const { customerOrder } = this.shape;
    return `cus_${textAt(customerOrder, customerOrder.placeOf(customer))}R3fb`;
  }

  sale(sale: number): string {
    return rowId('sal', this.shape.saleAt(sale), sale);
  }

  payment(sale: number): string {
    return rowId('pmt', this.shape.saleAt(sale), sale);
  }

  delivery(sale: number): string {
    return rowId('dlv', this.shape.saleAt(sale), sale);
  }

  refundDelivery(sale: number): string {
    return rowId('dlv', this.shape.refundAt(sale), sale);
  }

  commissionEntry(sale: number): string {
    return rowId('ent', this.shape.saleAt(sale), sale);
  }

  reversalEntry(sale: number): string {
    return rowId('ent', this.shape.refundAt(sale), sale);
  }

  invoice(sale: number): string {
    return `in_${scattered(sale, 50)}`;
  }

  event(sale: number, kind: 'sale' | 'refund'): string {
    return `evt_${scattered(sale, kind === 'sale' ? 60 : 70)}`;
  }

  refund(sale: number): string {
    return `re_${scattered(sale, 80)}`;
  }

  /** Stripe's payment intent of a webhook's sale. */
  paymentIntent(sale: number): string {
    const { paymentOrder } = this.shape;
    const webhook = this.shape.webhookOf(sale);
    return `pi_${textAt(paymentOrder, paymentOrder.placeOf(webhook))}${base36(mix(webhook, 90), 7)}${base36(webhook, 5)}`;
  }

  /** When a period's payouts were started; those after the last period are still queued. */
  payoutRunAt(period: number): number {
    return this.shape.from + (period + 1) * PERIOD_MS + 31 * DAY_MS;
  }

  /** When the previous run queued a payout. */
  payoutQueuedAt(period: number, partner: number): number {
    return (period === 0 ? this.shape.from : this.payoutRunAt(period - 1)) + partner;
  }

  payout(period: number, partner: number): string {
    return rowId('pay', this.payoutQueuedAt(period, partner), period * this.partners.length + partner);
  }
}

/** As random and as long as a processor's id, and different for every row. */
function scattered(row: number, salt: number): string {
  return base36(mix(row, salt), 7) + base36(mix(row, salt + 1), 7) + base36(row, 6);
}
