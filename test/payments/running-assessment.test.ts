import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DISPUTE_STATES } from '../../src/core/facts.ts';
import { distinctRefunds } from '../../src/core/refund-report.ts';
import { assessReports } from '../../src/payments/assess-reversal.ts';
import type { Refund } from '../../src/payments/queries/refunds.ts';
import type { ReversibleSale } from '../../src/payments/queries/reversible-sales.ts';
import { CurrencyMismatch } from '../../src/payments/reported-amounts.ts';
import { RunningAssessment } from '../../src/payments/running-assessment.ts';
import { asId } from '../helpers/ids.ts';
import { rounds } from '../helpers/rounds.ts';

const DELIVERY = asId<'dlv'>('dlv_1');
const PAYMENT = asId<'pmt'>('pmt_1');

/** 120.00 for two kits and a lamp, without tax 100.00; 110.00 euros to the shopper. Made at time 2. */
const SALE: ReversibleSale = {
  id: asId('sal_1'),
  accountId: asId('acc_1'),
  programId: asId('prg_1'),
  partnerId: asId('ptn_1'),
  linkId: null,
  customerId: asId('cus_1'),
  paymentId: PAYMENT,
  amount: 10_000,
  grossAmount: 12_000,
  currency: 'usd',
  createdAt: 2,
  presentmentAmount: 11_000,
  presentmentCurrency: 'eur',
  paidLines: { kit: 2, lamp: 1 },
  statedAt: null,
  commissionAmount: 2_000,
  terms: {
    commission: { type: 'percentage', rateBasisPoints: 2_000 },
    source: 'program',
    durationMonths: null,
    holdDays: 0,
    amountBasis: 'net',
  },
  availableAt: 0,
  occurredAt: 2,
  isBare: false,
  review: null,
  refundedAmount: 0,
  disputedOpen: false,
  voidedReason: null,
  isFromApi: false,
};

const BY_ID: Refund = {
  processor: 'shopify',
  refundKey: 're_1',
  kind: 'refund',
  chargeId: null,
  released: null,
  paymentId: PAYMENT,
  amount: 100,
  commissionable: null,
  lines: [],
  isByShare: false,
  currency: 'usd',
  refundedAt: 1,
  failedAt: null,
  failed: false,
  deliveryId: DELIVERY,
  occurredAt: 1,
};

const line = fc
  .record({
    lineId: fc.constantFrom('kit', 'kit', 'lamp', 'gift', null),
    quantity: fc.integer({ min: 1, max: 2 }),
    amountMinor: fc.integer({ min: 0, max: 3_000 }),
  })
  .map((one) => ({ ...one, commissionableMinor: Math.floor(one.amountMinor * 0.8) }));

/** Mostly refunds of lines by their own ids; now and then something that has to do with another refund. */
const report: fc.Arbitrary<Refund> = fc
  .record({
    processor: fc.constantFrom('shopify', 'shopify', 'shopify', 'custom'),
    nth: fc.nat(30),
    form: fc.constantFrom('whole', 'whole', 'whole', 'whole', 'part', 'total'),
    charge: fc.constantFrom(null, null, null, 'pi_1', 'none'),
    amount: fc.constantFrom(null, 0, 1, 333, 1_000, 2_500, 12_000),
    currency: fc.constantFrom('usd', 'usd', 'usd', 'eur', 'gbp'),
    lines: fc.oneof(
      { weight: 9, arbitrary: fc.array(line, { maxLength: 3 }) },
      { weight: 1, arbitrary: fc.constant(null) },
    ),
    states: fc.boolean(),
    at: fc.nat(5),
    failed: fc.nat(9).map((chance) => chance === 0),
  })
  .map(({ processor, nth, form, charge, amount, currency, lines, states, at, failed }): Refund => {
    const gid = `gid://shopify/Refund/${nth}`;
    const isTotal = form === 'total' && nth < 5;
    return {
      ...BY_ID,
      processor,
      refundKey: isTotal ? `cumulative ${nth}` : form === 'part' ? `${gid}#${currency}` : gid,
      kind: isTotal ? 'cumulative' : 'refund',
      chargeId: charge,
      released: isTotal && nth === 0 ? 333 : null,
      amount,
      commissionable: states && amount !== null ? Math.floor(amount * 0.8) : null,
      lines,
      currency: currency === 'gbp' && processor === 'shopify' ? 'usd' : currency,
      refundedAt: failed ? null : at,
      failedAt: failed ? at : null,
      failed,
      deliveryId: processor === 'custom' ? null : DELIVERY,
      occurredAt: at,
    };
  });

const sale: fc.Arbitrary<ReversibleSale> = fc
  .record({
    amountBasis: fc.constantFrom('net', 'net', 'gross'),
    paidLines: fc.constantFrom(SALE.paidLines, { kit: 20, lamp: 20 }, null),
    refundedElsewhere: fc.constantFrom({}, {}, {}, { refundedElsewhere: 1_000 }),
    voidedReason: fc.constantFrom(null, null, null, null, 'a duplicate'),
    review: fc.constantFrom(null, null, null, null, 'rejected'),
  })
  .map(({ amountBasis, refundedElsewhere, ...rest }) => ({
    ...SALE,
    ...rest,
    terms: { ...SALE.terms, amountBasis, ...refundedElsewhere },
  }));

const dispute = fc.record({
  processor: fc.constantFrom('stripe', 'paddle'),
  disputeId: fc.constantFrom('du_1', 'du_1#eur', 'du_2'),
  occurredAt: fc.nat(5),
  amount: fc.constantFrom(500, 12_000),
  currency: fc.constantFrom('usd', 'eur'),
  state: fc.constantFrom(...DISPUTE_STATES),
});

const keyOf = ({ processor, refundKey }: Refund) => `${processor} ${refundKey}`;
const byKey = (refunds: readonly Refund[]) => [...new Map(refunds.map((refund) => [keyOf(refund), refund])).values()];

describe('a sale that is assessed after each of many reports', () => {
  it('is assessed as if all its reports were looked at each time', () => {
    fc.assert(
      fc.property(
        sale,
        fc.array(report, { maxLength: 6 }),
        fc.array(fc.tuple(report, fc.boolean()), { minLength: 1, maxLength: 20 }),
        fc.array(dispute, { maxLength: 2 }),
        (one, stored, reports, disputes) => {
          const known = byKey(stored);
          const assessment = new RunningAssessment(one, known, disputes);
          const refunds = [...known];
          for (const [next, isAssessed] of reports) {
            assessment.put(next);
            refunds.push(next);
            if (isAssessed) {
              expect(assessment.assess()).toEqual(assessReports(one, distinctRefunds(byKey(refunds)), disputes));
            }
          }
        },
      ),
      { numRuns: rounds(20_000) },
    );
  });

  it('refuses a refund in another currency, and says in which', () => {
    const assessment = new RunningAssessment(SALE, [], []);
    assessment.assess();
    expect(() => {
      assessment.put({ ...BY_ID, currency: 'gbp' });
      assessment.assess();
    }).toThrow(CurrencyMismatch);
  });

  it.each([
    ['an amount', 1, () => [], null],
    ['a line', 1, (nth: number) => [lineOf(`line ${nth}`)], Object.fromEntries(all((nth) => [`line ${nth}`, 1]))],
    ['a line that was not paid for', 1, () => [lineOf('gift')], { kit: 1 }],
    ['a line, the latest first', -1, () => [lineOf('kit')], { kit: 1_000 }],
    [
      'more units than were paid for, the latest first',
      -1,
      () => [lineOf('kit'), lineOf('lamp')],
      { kit: 300, lamp: 1 },
    ],
    ['a line that was not paid for, the latest first', -1, () => [lineOf('gift')], { kit: 1 }],
  ])('reads each of a thousand refunds of %s a few times only', (_, direction, linesOf, paidLines) => {
    let reads = 0;
    const refunds = all((nth): Refund => {
      const refundKey = `gid://shopify/Refund/${nth}`;
      const counted = {
        ...BY_ID,
        refundKey,
        lines: linesOf(nth),
        commissionable: 80,
        refundedAt: 1_000 + direction * nth,
      };
      return Object.defineProperty(counted, 'amount', {
        enumerable: true,
        get() {
          reads += 1;
          return 100;
        },
      });
    });
    const large = { ...SALE, grossAmount: 120_000, amount: 100_000, paidLines };
    const assessment = new RunningAssessment(large, refunds.slice(0, 500), []);
    for (const refund of refunds.slice(500)) {
      assessment.put(refund);
      assessment.assess();
    }
    expect(reads).toBeGreaterThan(0);
    expect(reads).toBeLessThan(10 * refunds.length);
  });
});

function all<T>(make: (nth: number) => T): T[] {
  return Array.from({ length: 1_000 }, (_, nth) => make(nth));
}

function lineOf(lineId: string) {
  return { lineId, quantity: 1, amountMinor: 100, commissionableMinor: 80 };
}
