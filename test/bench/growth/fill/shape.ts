/**
 * What a filled database contains. Each value is computed from its row number, so that a fill can be repeated and
 * resumed.
 */
import { mix, Permutation } from './scatter.ts';

export const PARTNERS = 1_000;
export const LINKS = 2_000;
export const DAY_MS = 86_400_000;
const HISTORY_DAYS = 730;
/** Up to this many customers, each buys 1.5 times on average; beyond, one in five buys. */
const FREQUENT_BUYERS_MAX = 1_000_000;
export const HOLD_MS = 30 * DAY_MS;
/** A refund is made a week after the payment: before its payout, which waits for the hold. */
const REFUND_AFTER_MS = 7 * DAY_MS;
const REFUNDED_PERCENT = 3;
/** Every fifth sale is reported through the API, the others by webhook. */
const API_EVERY = 5;
/** The length of a period whose entries one payout pays. */
export const PERIOD_MS = 30 * DAY_MS;
const UNPAID_DAYS = 120;
const CLICK_BEFORE_MS = 5 * 60_000;

const LINK_SLOTS = 65_536;
const linkSlots = zipfSlots();

/** The numbers behind every row. Customers and sales are numbered by time, from 0. */
export class Shape {
  readonly customers: number;
  readonly sales: number;
  readonly webhookSales: number;
  /** Epoch milliseconds: two years of history end at `until`. */
  readonly from: number;
  readonly until: number;
  /** The number of periods that are paid out. */
  readonly paidPeriods = Math.floor((HISTORY_DAYS - UNPAID_DAYS) / 30);
  /** The places of a customer and a payment in the order of their random processor ids. */
  readonly customerOrder: Permutation;
  readonly paymentOrder: Permutation;

  constructor(customers: number, until: number) {
    this.customers = customers;
    const frequent = Math.min(customers, FREQUENT_BUYERS_MAX);
    this.sales = Math.floor(frequent * 1.5 + (customers - frequent) / 5);
    this.webhookSales = this.sales - Math.ceil(this.sales / API_EVERY);
    this.until = until;
    this.from = until - HISTORY_DAYS * DAY_MS;
    this.customerOrder = new Permutation(customers);
    this.paymentOrder = new Permutation(this.webhookSales);
  }

  customerAt(customer: number): number {
    return this.from + 2 * CLICK_BEFORE_MS + this.#share(customer, this.customers);
  }

  clickAt(customer: number): number {
    return this.customerAt(customer) - CLICK_BEFORE_MS;
  }

  saleAt(sale: number): number {
    return this.from + 3 * CLICK_BEFORE_MS + this.#share(sale, this.sales);
  }

  /** Any customer who came before the sale: older customers have more sales. */
  customerOf(sale: number): number {
    const earlier = Math.floor((sale * this.customers) / this.sales) + 1;
    return mix(sale, 1) % Math.min(earlier, this.customers);
  }

  /** Zipf(1): the first link gets an eighth of all customers. */
  linkOf(customer: number): number {
    return linkSlots[mix(customer, 2) % LINK_SLOTS] as number;
  }

  isWebhook(sale: number): boolean {
    return sale % API_EVERY !== 0;
  }

  /** A sale's number among those reported by webhook; `saleOfWebhook` is the inverse. */
  webhookOf(sale: number): number {
    return sale - Math.floor(sale / API_EVERY) - 1;
  }

  saleOfWebhook(webhook: number): number {
    const perRound = API_EVERY - 1;
    return Math.floor(webhook / perRound) * API_EVERY + (webhook % perRound) + 1;
  }

  refundAt(sale: number): number {
    return this.saleAt(sale) + REFUND_AFTER_MS;
  }

  isRefunded(sale: number): boolean {
    return mix(sale, 3) % 100 < REFUNDED_PERCENT && this.refundAt(sale) < this.until;
  }

  periodOf(sale: number): number {
    return Math.floor((this.saleAt(sale) - this.from) / PERIOD_MS);
  }

  /** Sales and refunds in the order of their times. */
  *moneyEvents(): Generator<{ kind: 'sale' | 'refund'; sale: number }> {
    let refund = 0;
    for (let sale = 0; sale <= this.sales; sale++) {
      const at = sale === this.sales ? this.until : this.saleAt(sale);
      for (; refund < sale && this.refundAt(refund) <= at; refund++) {
        if (this.isRefunded(refund)) yield { kind: 'refund', sale: refund };
      }
      if (sale < this.sales) yield { kind: 'sale', sale };
    }
  }

  /** Spreads `count` rows evenly over the history, ending at least a quarter of an hour before its end. */
  #share(row: number, count: number): number {
    return Math.floor(row * ((this.until - this.from - 4 * CLICK_BEFORE_MS) / count));
  }
}

/** When the account with a history of two years was created, from the start of that history, and the inverse. */
export function accountCreatedAt({ from }: Shape): number {
  return from - 60 * DAY_MS;
}

export function historyEndOf(createdAt: number): number {
  return createdAt + (60 + HISTORY_DAYS) * DAY_MS;
}

/**
 * Each of the first 1,000 links belongs to a different partner; the next 1,000 belong to the same partners in reverse
 * order.
 */
export function partnerOfLink(link: number): number {
  return link < PARTNERS ? link : LINKS - 1 - link;
}

/** Minor units. The net amount is a multiple of 5, so that a commission of 20 % needs no rounding. */
export function amountsOf(sale: number): { net: number; gross: number; commission: number } {
  const net = 900 + 5 * (mix(sale, 4) % 3_000);
  return { net, gross: net + Math.floor((net * 19) / 100), commission: net / 5 };
}

/** Half of the refunds are full refunds, the others a third of the payment. */
export function refundedOf(sale: number): number {
  const { gross } = amountsOf(sale);
  return mix(sale, 5) % 2 === 0 ? gross : Math.floor(gross / 3);
}

/** Which link each slot leads to: a link has as many slots as Zipf's law gives it. */
function zipfSlots(): Uint16Array {
  const slots = new Uint16Array(LINK_SLOTS);
  let harmonic = 0;
  for (let link = 1; link <= LINKS; link++) harmonic += 1 / link;
  let reached = 0;
  let sum = 0;
  for (let link = 0; link < LINKS; link++) {
    sum += 1 / (link + 1);
    const end = Math.round((sum / harmonic) * LINK_SLOTS);
    slots.fill(link, reached, end);
    reached = end;
  }
  return slots;
}
