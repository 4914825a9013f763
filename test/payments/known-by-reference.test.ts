import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type {
  CustomerHints,
  Fact,
  PaymentAnnounced,
  PaymentCaptured,
  PaymentReferenced,
} from '../../src/core/facts.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, hints, ofInvoice, received, referenced, refunded } from '../helpers/facts.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { createReferrer, type Referrer, unique } from '../helpers/story.ts';

describe.each(engines)('what is known about a payment before its money arrives and besides it, on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let intent: string;
  let session: string;
  let discountCodes: string[];
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => Date.UTC(2026, 10, 4) } });
  });
  beforeEach(async () => {
    [intent, session] = [unique('pi'), unique('cs')];
    discountCodes = [unique('CODE')];
    referrer = await createReferrer(app, { discountCodes });
  });
  afterAll(() => app.close());

  const tell = (...facts: Fact[]) => applyFacts(app.service, app.accountId, ...facts);
  const salesOf = async () => {
    await requireAgreement(app.service, app.accountId);
    return (await app.call('GET', `/api/sales?partnerId=${referrer.partnerId}`)).body.data;
  };
  const amountsOf = async () =>
    (await salesOf()).map((sale: Record<string, unknown>) => [sale.grossAmount, sale.amount, sale.commissionAmount]);
  /** 120.00, of which 100.00 is net. */
  const paid = (changes = {}) => received([intent, session], hints({}), { discountCodes, ...changes });
  const announced = (): PaymentAnnounced => ({ ...paid(), kind: 'payment.announced' });
  const captured = (amountMinor: number): PaymentCaptured => ({
    kind: 'payment.captured',
    references: [intent, unique('ch')],
    amountMinor,
    currency: 'usd',
    occurredAt: Date.UTC(2026, 10, 3),
  });
  const bare = (grossMinor = 12_000) =>
    received([intent, unique('ch')], hints({}), {
      grossMinor,
      netMinor: grossMinor,
      taxMinor: 0,
      discountCodes,
      isBare: true,
    });
  const payer = (customer: CustomerHints): PaymentReferenced => ({
    kind: 'payment.referenced',
    references: [intent, unique('ch')],
    customer,
  });

  describe('an announced payment', () => {
    it.each([12_000, 6_000])(
      'becomes a sale when %i of it are captured, with net in proportion, in either order',
      async (amount) => {
        const expected = [amount, (amount * 10) / 12, amount / 6];
        expect(await tell(announced())).toMatchObject({ outcome: 'noted' });
        expect(await amountsOf()).toEqual([]);
        expect(await tell(captured(amount))).toMatchObject({ outcome: 'sale' });
        expect(await amountsOf()).toEqual([expected]);
        expect(await salesOf()).toMatchObject([{ occurredAt: '2026-11-03T00:00:00.000Z', invoiceId: intent }]);

        [intent, session] = [unique('pi'), unique('cs')];
        expect(await tell(captured(amount))).toMatchObject({ outcome: 'noted' });
        expect(await tell(announced())).toMatchObject({ outcome: 'sale' });
        expect(await amountsOf()).toEqual([expected, expected]);
      },
    );

    it('is not a second sale when another event reports its money', async () => {
      await tell(announced());
      await tell(captured(12_000));
      expect(await tell(paid())).toMatchObject({ outcome: 'duplicate' });
      expect(await tell(captured(12_000))).toMatchObject({ outcome: 'duplicate' });
      expect(await tell(announced())).toMatchObject({ outcome: 'duplicate' });
      expect(await amountsOf()).toEqual([[12_000, 10_000, 2000]]);
    });

    it('never counts without its money, and money never counts without an announcement', async () => {
      await tell(announced());
      [intent, session] = [unique('pi'), unique('cs')];
      await tell(captured(12_000));
      expect(await amountsOf()).toEqual([]);
    });

    it('is found under references that are joined later', async () => {
      const charge = unique('ch');
      await tell({ ...captured(12_000), references: [charge] });
      await tell({ ...announced(), references: [session, intent] });
      await tell(referenced(charge, intent));
      expect(await tell(captured(12_000))).toMatchObject({ outcome: 'sale' });
    });

    it('keeps a refund that arrived before its money', async () => {
      await tell(refunded([intent], { refundId: unique('re'), amountMinor: 6_000 }), announced(), captured(12_000));
      expect(await salesOf()).toMatchObject([{ refundedAmount: 6_000, reversedCommissionAmount: 1000 }]);
    });
  });

  it('is that its charge paid another invoice, too', async () => {
    for (const [invoice, reason] of [
      [unique('in'), /^joined /],
      [unique('in'), /^pi_\w+ paid another invoice, too/],
    ] as const) {
      const { saleId } = await tell(received([invoice], hints({}), { discountCodes }));
      const answer = await tell({ ...referenced(invoice, intent), ...ofInvoice(invoice) });
      expect(answer).toEqual({ outcome: 'noted', reason: expect.stringMatching(reason), saleId });
    }
    expect((await salesOf()).length).toBe(2);
  });

  describe('a reference that says who paid', () => {
    const guest = () => received([intent, session], hints({}));
    let externalId: string;
    beforeEach(async () => {
      externalId = unique('user');
      await referrer.lead(externalId);
    });

    it('before the payment makes it a sale at once', async () => {
      expect(await tell(payer(hints({ externalId })))).toMatchObject({ outcome: 'noted' });
      expect(await tell(guest())).toMatchObject({ outcome: 'sale' });
      expect((await salesOf()).length).toBe(1);
    });

    it('after the payment attributes it, and its delivery', async () => {
      expect(await tell(guest())).toMatchObject({ outcome: 'unattributed' });
      const { outcome, saleId } = await tell(payer(hints({ externalId })));
      expect([outcome, saleId]).toEqual(['noted', (await salesOf())[0].id]);
    });

    it('under a charge that is joined to the parked payment later attributes it as well', async () => {
      const charge = unique('ch');
      await tell(guest());
      await tell({ ...payer(hints({ externalId })), references: [charge] });
      expect(await amountsOf()).toEqual([]);
      expect(await tell(referenced(intent, charge))).toMatchObject({ outcome: 'noted' });
      expect((await salesOf()).length).toBe(1);
    });

    it('stays with the parked payment until that customer signs up', async () => {
      const stranger = unique('user');
      await tell(payer(hints({ externalId: stranger })), guest());
      expect(await amountsOf()).toEqual([]);
      await referrer.lead(stranger);
      expect((await salesOf()).length).toBe(1);
    });
  });

  describe('codes, told by reference', () => {
    const session = () => ({ ...referenced(intent, unique('cs')), discountCodes });
    const invoice = (atStripe: string) => received([intent], hints({ processorCustomerId: atStripe }));
    const sessionAndInvoice: [string, (atStripe: string) => Fact[]][] = [
      ['before the payment', (atStripe) => [session(), invoice(atStripe)]],
      ['after the payment', (atStripe) => [invoice(atStripe), session()]],
      ['before and after it', (atStripe) => [session(), invoice(atStripe), session()]],
      [
        'under a reference that is joined last',
        (atStripe) => {
          const other = unique('cs');
          return [{ ...referenced(other, unique('in')), discountCodes }, invoice(atStripe), referenced(other, intent)];
        },
      ],
    ];

    it.each(sessionAndInvoice)('%s make it a sale of their partner, and its renewal another', async (_when, told) => {
      const atStripe = unique('cus');
      for (const fact of told(atStripe)) await tell(fact);
      expect(await salesOf()).toMatchObject([{ invoiceId: intent, attribution: { matchedBy: 'discount_code' } }]);
      await tell(received([unique('in')], hints({ processorCustomerId: atStripe }), { recurring: true }));
      expect((await salesOf()).length).toBe(2);
    });

    it('are kept when the money of an announced payment arrives', async () => {
      const bareOfCodes = { ...announced(), discountCodes: [] };
      await tell(session(), bareOfCodes, captured(12_000));
      expect(await amountsOf()).toEqual([[12_000, 10_000, 2000]]);
    });
  });

  describe('the amounts of a bare report', () => {
    it('are replaced by those of the session, in either order, and the ledger gets the difference', async () => {
      await tell(bare());
      expect(await amountsOf()).toEqual([[12_000, 12_000, 2400]]);
      expect(await tell(paid())).toMatchObject({ outcome: 'duplicate' });
      expect(await amountsOf()).toEqual([[12_000, 10_000, 2000]]);
      const { entries, attribution } = (await app.call('GET', `/api/sales/${(await salesOf())[0].id}`)).body;
      expect(entries.map(({ kind, amount }: Record<string, unknown>) => [kind, amount])).toEqual([
        ['commission', 2400],
        ['adjustment', -400],
      ]);
      expect(attribution.steps.at(-1)).toMatchObject({ step: 'commission', value: '2000' });

      [intent, session] = [unique('pi'), unique('cs')];
      await tell(paid());
      await tell(bare());
      expect((await amountsOf())[0]).toEqual([12_000, 10_000, 2000]);
    });

    it('are replaced once: the next report is a duplicate like any other', async () => {
      await tell(bare(), paid(), paid({ netMinor: 1 }));
      expect(await amountsOf()).toEqual([[12_000, 10_000, 2000]]);
    });

    it('are replaced in proportion to an announcement', async () => {
      await tell(bare(6_000), announced());
      expect(await amountsOf()).toEqual([[6_000, 5_000, 1000]]);
      [intent, session] = [unique('pi'), unique('cs')];
      await tell(announced(), bare(6_000));
      expect((await amountsOf())[0]).toEqual([6_000, 5_000, 1000]);
    });

    it('are replaced by those of an invoice that turns out to be the same payment', async () => {
      const invoice = unique('in');
      await tell(bare(), received([invoice], hints({}), { discountCodes }));
      await tell(referenced(invoice, intent));
      const [, counted] = await salesOf();
      expect(counted).toMatchObject({ invoiceId: intent, amount: 10_000, commissionAmount: 2000, status: 'pending' });
    });

    it('are replaced while the payment is parked', async () => {
      const customer = hints({ externalId: unique('user') });
      await tell({ ...bare(), customer, discountCodes: [] }, { ...paid(), customer, discountCodes: [] });
      await tell({ ...paid(), customer });
      expect(await amountsOf()).toEqual([[12_000, 10_000, 2000]]);
    });

    it('are the base of refunds until then, and not afterwards', async () => {
      await tell(bare(), refunded([intent], { refundId: unique('re'), amountMinor: 6_000 }));
      expect(await salesOf()).toMatchObject([{ reversedCommissionAmount: 1200 }]);
      await tell(paid());
      expect(await salesOf()).toMatchObject([{ commissionAmount: 2000, reversedCommissionAmount: 1000 }]);
    });
  });
});
