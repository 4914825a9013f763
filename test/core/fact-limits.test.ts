import { describe, expect, it } from 'vitest';
import { enforceFactLimits, flawOf } from '../../src/core/fact-limits.ts';
import type { CustomerHints, Fact, PaymentReceived, PaymentRefundUndone } from '../../src/core/facts.ts';
import { AMOUNT_MAX } from '../../src/core/money.ts';
import type { RefundedLine } from '../../src/core/refunded.ts';

const NOBODY: CustomerHints = {
  externalIds: [],
  clickIds: [],
  processorCustomerId: null,
  subscriptionId: null,
  email: null,
  name: null,
};
const PAYMENT: PaymentReceived = {
  kind: 'payment.received',
  references: ['in_1', 'pi_1'],
  invoiceId: 'in_1',
  grossMinor: 1999,
  netMinor: 1680,
  taxMinor: 319,
  shippingMinor: 0,
  currency: 'eur',
  presentment: { currency: 'jpy', grossMinor: 3200 },
  recurring: false,
  customer: { ...NOBODY, externalIds: [{ value: 'user_1', place: 'metadata' }], email: 'mara@example.com' },
  discountCodes: ['SPRING'],
  occurredAt: Date.UTC(2026, 10, 1),
};
const shared = { references: ['in_1'], currency: 'eur', occurredAt: 0 };
const REFUND: Fact = { kind: 'payment.refunded', ...shared, refund: { refundId: 're_1', amountMinor: AMOUNT_MAX } };
const UNDONE: PaymentRefundUndone = { kind: 'payment.refund_undone', ...shared, refundId: 're_1', amountMinor: null };
const DISPUTE: Fact = { kind: 'payment.disputed', ...shared, disputeId: 'dp_1', amountMinor: 0, state: 'open' };
const ALL: Fact[] = [
  PAYMENT,
  { ...PAYMENT, grossMinor: AMOUNT_MAX, netMinor: AMOUNT_MAX, presentment: null },
  { kind: 'payment.referenced', references: ['in_1', 'pi_1'] },
  REFUND,
  { ...REFUND, refund: { cumulativeAmountMinor: 0 } },
  UNDONE,
  { ...UNDONE, currency: null },
  DISPUTE,
  { ...REFUND, refund: { refundId: 're_1', amountMinor: 10, commissionableMinor: 10 } },
  { kind: 'payment.referenced', references: ['pi_1'], customer: NOBODY },
  { ...PAYMENT, kind: 'payment.announced' },
  { kind: 'payment.captured', ...shared, amountMinor: 1 },
  { kind: 'customer.identified', customer: NOBODY, occurredAt: 0 },
  { kind: 'customer.identified', customer: NOBODY, occurredAt: 253_402_300_799_999 },
  { kind: 'noted', what: 'x'.repeat(1000) },
  { ...PAYMENT, lines: { 'line-1': 1, 'line-2': 1_000_000_000 } },
  withLine({}),
];

function withLine(changes: Partial<RefundedLine>): Fact {
  const line = { lineId: 'line-1', quantity: 2, amountMinor: 10, commissionableMinor: 8, ...changes };
  const refund = { refundId: 're_1', amountMinor: 10, commissionableMinor: 8, lines: [line] };
  return { kind: 'payment.refunded', ...shared, refund };
}

const textsOf = (length: number) => Array.from({ length }, (_, n) => `text-${n}`);

describe('a valid fact', () => {
  it.each(ALL.map((fact) => [fact.kind, fact] as const))('of kind %s has no flaw', (_kind, fact) => {
    expect(flawOf(fact)).toBeNull();
  });

  it('is returned unchanged, as are interpretations without facts', () => {
    const sound = { kind: 'facts', facts: ALL } as const;
    expect(enforceFactLimits({ kind: 'facts', facts: [...ALL] })).toEqual(sound);
    const ignored = { kind: 'ignored', reason: 'why' } as const;
    expect(enforceFactLimits(ignored)).toBe(ignored);
  });
});

describe('a flawed fact', () => {
  it.each<[string, Fact, string]>([
    ['no money', { ...PAYMENT, grossMinor: 0 }, 'the gross amount is 0, not from 1 to 1000000000000'],
    [
      'too much',
      { ...PAYMENT, grossMinor: AMOUNT_MAX + 1 },
      'the gross amount is 1000000000001, not from 1 to 1000000000000',
    ],
    ['a negative net amount', { ...PAYMENT, netMinor: -1 }, 'the net amount is -1, not from 0 to 1999'],
    ['more net than gross', { ...PAYMENT, netMinor: 2000 }, 'the net amount is 2000, not from 0 to 1999'],
    ['a fraction', { ...PAYMENT, taxMinor: 0.5 }, 'the tax is 0.5, not a safe integer'],
    [
      'what no double holds',
      { ...PAYMENT, shippingMinor: 2 ** 53 },
      'the shipping is 9007199254740992, not a safe integer',
    ],
    ['a negative zero', { ...PAYMENT, netMinor: -0 }, 'the net amount is 0, not a safe integer'],
    ['an unknown currency', { ...PAYMENT, currency: 'xyz' }, 'the currency "xyz" is not in ISO 4217'],
    ['a currency in upper case', { ...REFUND, currency: 'EUR' }, 'the currency "EUR" is not in ISO 4217'],
    ['no currency', { ...UNDONE, currency: '' }, 'the currency "" is not in ISO 4217'],
    ['an amount without a currency', { ...UNDONE, amountMinor: 1, currency: null }, 'the amount has no currency'],
    [
      'an unknown currency as presented',
      { ...PAYMENT, presentment: { currency: 'xyz', grossMinor: 1 } },
      'the currency "xyz" is not in ISO 4217',
    ],
    [
      'an invoice id that nothing references',
      { ...PAYMENT, invoiceId: 'in_2' },
      'the invoice id is not among the refer',
    ],
    ['no reference', { ...DISPUTE, references: [] }, 'no reference names the payment'],
    ['a reference twice', { ...PAYMENT, references: ['in_1', 'in_1'] }, 'a reference is repeated'],
    ['one reference alone', { kind: 'payment.referenced', references: ['in_1'] }, 'a single reference joins nothing'],
    [
      'a paid invoice that nothing references',
      { kind: 'payment.referenced', references: ['in_1', 'pi_1'], paidInvoice: { id: 'in_2', idPrefix: 'in_' } },
      'the invoice id is not among the refer',
    ],
    ['an endless reference', { ...REFUND, references: ['x'.repeat(256)] }, 'a reference has more than 255 characters'],
    [
      'an endless reference of characters with two units',
      { ...REFUND, references: ['📜'.repeat(256)] },
      'a reference has more than 255 characters',
    ],
    [
      'NUL in a code of a reference',
      { kind: 'payment.referenced', references: ['in_1', 'cs_1'], discountCodes: ['A\0B'] },
      'a discount code contains NUL or malformed Unicode',
    ],
    ['NUL in a code', { ...PAYMENT, discountCodes: ['A\0B'] }, 'a discount code contains NUL or malformed Unicode'],
    [
      'half a surrogate in an id',
      { ...REFUND, refund: { refundId: '\ud800', amountMinor: 1 } },
      'the refund id contains NUL or malformed Unicode',
    ],
    ['an empty dispute id', { ...DISPUTE, disputeId: '' }, 'the dispute id is empty or not trimmed'],
    [
      'too large a refund',
      { ...REFUND, refund: { refundId: 're', amountMinor: AMOUNT_MAX + 1 } },
      'the amount is 10000',
    ],
    [
      'too large a sum',
      { ...REFUND, refund: { cumulativeAmountMinor: 1e13 } },
      'the cumulative amount is 10000000000000',
    ],
    [
      'a release of less than nothing',
      { ...REFUND, refund: { cumulativeAmountMinor: 0, releasedMinor: -1 } },
      'the released amount is -1, not from 0',
    ],
    [
      'a charge without a name',
      { ...REFUND, refund: { cumulativeAmountMinor: 1, chargeId: '' } },
      'the id of the charge is empty or not trimmed',
    ],
    ['a failure of a charge without a name', { ...UNDONE, chargeId: ' ' }, 'the id of the charge is empty'],
    [
      'more goods given back than money',
      { ...REFUND, refund: { refundId: 're', amountMinor: 10, commissionableMinor: 11 } },
      'the commissionable part is 11, not from 0 to 10',
    ],
    ['an announcement of nothing', { ...PAYMENT, kind: 'payment.announced', grossMinor: 0 }, 'the gross amount is 0'],
    ['a capture of nothing', { kind: 'payment.captured', ...shared, amountMinor: 0 }, 'the amount is 0, not from 1'],
    ['a negative refund that is undone', { ...UNDONE, amountMinor: -5 }, 'the amount is -5, not from 0'],
    ['too large a dispute', { ...DISPUTE, amountMinor: AMOUNT_MAX + 1 }, 'the amount is 1000000000001, not from 0'],
    ['a time that is none', { ...REFUND, occurredAt: Number.NaN }, 'the time is NaN, not a safe integer'],
    ['a time after the year 9999', { ...PAYMENT, occurredAt: 253_402_300_800_000 }, 'the time is 253402300800000, not'],
    [
      'a blank after a name',
      { ...PAYMENT, customer: { ...NOBODY, name: 'Mara ' } },
      'a hint at the customer is empty or',
    ],
    [
      'an address in upper case',
      { ...PAYMENT, customer: { ...NOBODY, email: 'M@example.com' } },
      'the e-mail address is',
    ],
    [
      'more codes than are looked up',
      { ...PAYMENT, discountCodes: textsOf(101) },
      'there are 101 discount codes, and at',
    ],
    ['too many references', { ...REFUND, references: textsOf(101) }, 'there are 101 references, and at most 100 are'],
    [
      'too many hints',
      { ...PAYMENT, customer: { ...NOBODY, clickIds: textsOf(101).map((value) => ({ value, place: 'metadata' })) } },
      'there are 101 click ids, and at most 100 are used',
    ],
    ['no unit of a line', { ...PAYMENT, lines: { 'line-1': 0 } }, 'the quantity of a line is 0, not from 1'],
    ['a line without a name', { ...PAYMENT, lines: { '': 1 } }, 'the id of a line is empty'],
    [
      'more lines than are kept',
      { ...PAYMENT, lines: Object.fromEntries(textsOf(501).map((text) => [text, 1])) },
      'there are 501 lines, and at most 500 are used',
    ],
    ['half a unit given back', withLine({ quantity: 0.5 }), 'the quantity of a line is 0.5, not a safe integer'],
    ['a negative line', withLine({ amountMinor: -1 }), 'the amount of a line is -1, not from 0'],
    [
      'a line of more goods than money',
      withLine({ commissionableMinor: 11 }),
      'the commissionable part of a line is 11',
    ],
    ['an endless note', { kind: 'noted', what: 'x'.repeat(1001) }, 'the note has more than 1000 characters'],
  ])('with %s makes its delivery unknown, and the reason says what is wrong', (_what, fact, flaw) => {
    expect(flawOf(fact)).toContain(flaw);
    const interpretation = enforceFactLimits({
      kind: 'facts',
      facts: [{ kind: 'noted', what: 'sound' }, fact, REFUND],
    });
    expect(interpretation).toEqual({ kind: 'unknown', reason: `${fact.kind}: ${flawOf(fact)}` });
  });
});
