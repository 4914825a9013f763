import type { ClickId } from '../../../core/ids.ts';
import { DAY_MS, HOUR_MS } from '../../../core/time.ts';
import { createClickId } from '../../../ids.ts';
import { type Chance, createChance } from '../../random.ts';
import { FIRST_NAMES, type HistoryPartner, LAST_NAMES } from './cast.ts';

export const HISTORY_DAYS = 365;

/** The story follows; everything in the history is over by then. */
const QUIET_MS = 2 * HOUR_MS;

export interface PlannedVisit {
  at: number;
  clickId: ClickId;
  /** The key of the partner's link. */
  key: string;
}

export interface PlannedCustomer {
  /** Counts from 1. */
  number: number;
  externalId: string;
  name: string;
  email: string;
  clickId: ClickId;
  /** The partner who referred the customer. */
  partner: HistoryPartner;
  /** The monthly payment in minor units, without tax. */
  amount: number;
  currency: string;
  /** Whether their payments arrive as webhooks of Stripe, or are reported by the backend. */
  paysBy: 'stripe' | 'backend';
}

/** `month` counts a customer's payments from 0. */
export type Happening = { at: number; customer: PlannedCustomer } & (
  | { kind: 'lead' }
  | { kind: 'payment' | 'refund' | 'dispute' | 'dispute lost' | 'refund in another currency'; month: number }
);

/** Everything that happened, in order of time. */
export interface HistoryPlan {
  visits: readonly PlannedVisit[];
  happenings: readonly Happening[];
}

type Planner = { chance: Chance; endsAt: number; visits: PlannedVisit[]; happenings: Happening[]; customers: number };

const MINUTE_MS = 60_000;
/** Sunday first. */
const WEEKDAYS = [0.62, 1.12, 1.18, 1.12, 1.04, 0.94, 0.66];
const VISITS_PER_WEIGHT = 0.7;
const PAYING_OF_LEADS = 0.5;
const STAYS_FOR_ANOTHER_MONTH = 0.92;
const PRICES = [1900, 1900, 4900, 4900, 4900, 9900, 19_900];
/** The price in the examples of Stripe's events. */
const STRIPE_PRICE = 4900;
/** The share of payments that are refunded, and of Stripe payments that are disputed. */
const REFUNDED = 0.03;
const DISPUTED = 0.012;
const RECENTLY_MS = 12 * DAY_MS;

/**
 * A year until `now`, the same in every run except for its ids and dates: visits, sign-ups and payments grow and are
 * fewer at weekends, and some payments are refunded or disputed.
 */
export function planHistory(partners: readonly HistoryPartner[], now: number): HistoryPlan {
  const endsAt = now - QUIET_MS;
  const planner: Planner = { chance: createChance(2026), endsAt, visits: [], happenings: [], customers: 0 };
  for (let day = 0; day < HISTORY_DAYS; day += 1) {
    const startsAt = endsAt - (HISTORY_DAYS - day) * DAY_MS;
    for (const partner of partners) if (partner.joinsOnDay <= day) planDay(planner, partner, { day, startsAt });
  }
  planOpenDispute(planner);
  planMismatch(planner, now);
  planSelfReferrals(planner);
  const byTime = (a: { at: number }, b: { at: number }) => a.at - b.at;
  return { visits: planner.visits.sort(byTime), happenings: planner.happenings.sort(byTime) };
}

function planDay(
  planner: Planner,
  partner: HistoryPartner,
  { day, startsAt }: { day: number; startsAt: number },
): void {
  const { chance, endsAt, visits } = planner;
  const { weight, key, signUpPercent } = partner;
  const growth = 0.4 + 1.2 * (day / HISTORY_DAYS) + 0.12 * Math.sin(day / 19);
  const rhythm = WEEKDAYS[new Date(startsAt).getUTCDay()] ?? 1;
  for (let visit = chance.around(weight * VISITS_PER_WEIGHT * growth * rhythm); visit > 0; visit -= 1) {
    const at = Math.floor(startsAt + (DAY_MS * (chance.next() + chance.next())) / 2);
    if (at >= endsAt) continue;
    const clickId = createClickId(at);
    visits.push({ at, clickId, key });
    if (chance.next() * 100 < signUpPercent) planCustomer(planner, partner, { at, clickId });
  }
}

function planCustomer(
  planner: Planner,
  partner: HistoryPartner,
  { at: visitedAt, clickId }: { at: number; clickId: ClickId },
): void {
  const { chance, endsAt, happenings } = planner;
  planner.customers += 1;
  const number = planner.customers;
  const [first, last] = [chance.pick(FIRST_NAMES), chance.pick(LAST_NAMES)];
  const paysBy = chance.next() < 0.15 ? 'stripe' : 'backend';
  const customer: PlannedCustomer = {
    number,
    externalId: `member_${1000 + number}`,
    name: `${first} ${last}`,
    email: `${first}.${last}.${number}@example.com`.toLowerCase().replace('ö', 'o'),
    clickId,
    partner,
    amount: paysBy === 'stripe' ? STRIPE_PRICE : chance.pick(PRICES),
    currency: paysBy === 'backend' && chance.next() < 0.18 ? 'eur' : 'usd',
    paysBy,
  };
  const leadAt = visitedAt + Math.floor((1 + 20 * chance.next()) * MINUTE_MS);
  if (leadAt >= endsAt) return;
  happenings.push({ kind: 'lead', at: leadAt, customer });
  if (chance.next() < PAYING_OF_LEADS) planPayments(planner, customer, leadAt);
}

function planPayments({ chance, endsAt, happenings }: Planner, customer: PlannedCustomer, leadAt: number): void {
  let at = leadAt + Math.floor(chance.next() * 2 * DAY_MS) + MINUTE_MS;
  for (let month = 0; at < endsAt; month += 1) {
    happenings.push({ kind: 'payment', at, customer, month });
    const later = at + Math.floor((1 + 8 * chance.next()) * DAY_MS);
    if (chance.next() < REFUNDED && later < endsAt) {
      happenings.push({ kind: 'refund', at: later, customer, month });
      return;
    }
    if (customer.paysBy === 'stripe' && chance.next() < DISPUTED && later < endsAt) {
      happenings.push({ kind: 'dispute', at: later, customer, month });
      const decidedAt = later + 20 * DAY_MS;
      if (decidedAt < endsAt) happenings.push({ kind: 'dispute lost', at: decidedAt, customer, month });
      return;
    }
    if (chance.next() > STAYS_FOR_ANOTHER_MONTH) return;
    at += 30 * DAY_MS + Math.floor(chance.next() * HOUR_MS);
  }
}

/** A dispute that is still open, because chance, which depends on the weekday, may have none in the last weeks. */
function planOpenDispute(planner: Planner): void {
  const paid = findRecentPayment(planner);
  if (paid) planner.happenings.push({ ...paid, kind: 'dispute', at: Math.min(paid.at + DAY_MS, planner.endsAt) });
}

/** A delivery that cannot be applied yet: a recent payment is refunded in a currency in which it was never made. */
function planMismatch(planner: Planner, now: number): void {
  const paid = findRecentPayment(planner);
  if (paid) planner.happenings.push({ ...paid, kind: 'refund in another currency', at: now });
}

/** A payment through Stripe that is neither refunded nor disputed. */
function findRecentPayment({ endsAt, happenings }: Planner): (Happening & { kind: 'payment' }) | undefined {
  const cameBack = new Set(happenings.filter(({ kind }) => kind !== 'payment').map(nameOfPayment));
  return happenings.find(
    (one): one is Happening & { kind: 'payment' } =>
      one.kind === 'payment' &&
      one.customer.paysBy === 'stripe' &&
      one.at > endsAt - RECENTLY_MS &&
      !cameBack.has(nameOfPayment(one)),
  );
}

/** Two partners buy for themselves. */
function planSelfReferrals({ endsAt, happenings }: Planner): void {
  const buyers = new Map<string, PlannedCustomer>();
  for (const one of happenings) {
    const { at, customer } = one;
    const isFirst =
      one.kind === 'payment' && one.month === 0 && customer.paysBy === 'backend' && at > endsAt - RECENTLY_MS;
    if (isFirst && !buyers.has(customer.partner.key)) buyers.set(customer.partner.key, customer);
  }
  for (const customer of [...buyers.values()].slice(0, 2)) customer.email = customer.partner.email;
}

function nameOfPayment(one: Happening): string {
  return `${one.customer.number} ${'month' in one ? one.month : ''}`;
}
