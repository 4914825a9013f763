import { expect } from 'vitest';
import type { Fact, PaymentReceived } from '../../src/core/facts.ts';
import type { TestApp } from './app.ts';
import { payoutsOf, runPayouts } from './earning.ts';
import { applyFactsOf, hints, received, referenced, refunded } from './facts.ts';
import { createReferrer } from './story.ts';

/** A payment that is reported under the names `first` and `second`, each of which is a sale until they are joined. */
export class TwoSales {
  readonly app: TestApp;
  readonly partnerId: string;

  private constructor(app: TestApp, partnerId: string) {
    this.app = app;
    this.partnerId = partnerId;
  }

  static async create(app: TestApp): Promise<TwoSales> {
    const referrer = await createReferrer(app);
    await referrer.lead('mia');
    return new TwoSales(app, referrer.partnerId);
  }

  /** By webhook. */
  pay(name: 'first' | 'second', changes: Partial<PaymentReceived>) {
    return this.#tell(received([name], hints({ externalId: 'mia' }), changes));
  }

  /** By the backend. */
  async report(name: 'first' | 'second', amount: number, currency: string) {
    const body = { customerExternalId: 'mia', invoiceId: name, amount, currency, paymentProcessor: 'shopify' };
    expect(await this.app.call('POST', '/api/sales', { body })).toMatchObject({ status: 200 });
  }

  join() {
    return this.#tell(referenced('first', 'second'));
  }

  refund(amountMinor: number, currency: string) {
    return this.#tell(refunded(['first'], { refundId: `${amountMinor} ${currency}`, amountMinor }, currency));
  }

  /** The first sale, after the second was reversed in full. */
  async remaining() {
    const { data } = (await this.app.call('GET', '/api/sales')).body;
    expect(data.map(({ invoiceId }: { invoiceId: string }) => invoiceId)).toEqual(['second', 'first']);
    const [second, first] = data;
    expect(second).toMatchObject({
      status: 'refunded',
      reversedCommissionAmount: second.commissionAmount,
      note: `the same payment as sale ${first.id}`,
    });
    expect(first.note).toBeNull();
    return first;
  }

  /** The ledger, from the first entry to the last. */
  async entries(): Promise<string[]> {
    const { data } = (await this.app.call('GET', '/api/ledger')).body;
    return data.map(({ kind, amount }: Record<string, unknown>) => `${kind} ${amount}`).reverse();
  }

  /** Starts the payouts that are due, and marks them as paid. */
  async payOut(): Promise<string[]> {
    expect(await runPayouts(this.app)).toMatchObject({ status: 200 });
    const payouts = await payoutsOf(this.app, this.partnerId, 'processing');
    for (const { id } of payouts) {
      expect(await this.app.call('POST', `/api/payouts/${id}/paid`)).toMatchObject({ status: 200 });
    }
    return payouts.map(({ amount, currency }: Record<string, unknown>) => `${amount} ${currency}`).sort();
  }

  #tell(fact: Fact) {
    return applyFactsOf('shopify', this.app.service, this.app.accountId, fact);
  }
}
