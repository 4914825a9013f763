import { ServiceError } from '../../src/errors.ts';
import { CurrencyMismatch } from '../../src/payments/reported-amounts.ts';
import type { Answer, TestApp } from './app.ts';
import { currencyOf } from './histories.ts';
import type { AnyStep, ProgramStep } from './program-steps.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, type Referrer } from './story.ts';
import {
  chargeRefunded,
  checkoutCompleted,
  disputeOf,
  invoicePaid,
  invoicePaymentPaid,
  refundOf,
} from './stripe-payloads.ts';
import { type MoneyStep, tellStep } from './tell-history.ts';

const DAY_MS = 86_400_000;
const invoiceOf = (payment: number) => `in_${payment}`;
const intentOf = (payment: number) => `pi_${payment}`;
const personOf = (customer: number) => `user_${customer}`;

/** An account whose referral program lives through a history. */
export class ProgramHistory {
  readonly #app: TestApp;
  readonly #clock: { now: number };
  readonly #partners: Referrer[] = [];
  readonly #stripe: EndpointUnderTest;
  readonly #clicks: string[] = [];

  private constructor(app: TestApp, clock: { now: number }, stripe: EndpointUnderTest) {
    this.#app = app;
    this.#clock = clock;
    this.#stripe = stripe;
  }

  /** @param clock the service's; time passes with each step */
  static async begin(app: TestApp, clock: { now: number }, selfReferral: string): Promise<ProgramHistory> {
    await app.call('PATCH', `/api/programs/${app.programId}`, { body: { selfReferral } });
    const history = new ProgramHistory(app, clock, await createEndpoint(app, 'stripe'));
    for (const code of ['CODE0', 'CODE1']) {
      const email = `${code.toLowerCase()}@example.com`;
      const partner = await createReferrer(app, { discountCodes: [code], email });
      history.#partners.push(partner);
      history.#clicks.push(await partner.click());
    }
    return history;
  }

  /** Sends a step to the service, which may refuse it. @throws Error when the service fails */
  async tell(step: AnyStep): Promise<void> {
    this.#clock.now += 1000;
    if (step.do === 'fact') return this.#report(step.step);
    const answer = await this.#send(step);
    if (answer !== null && answer.status >= 500) throw new Error(`${JSON.stringify(step)}: ${answer.text}`);
  }

  /** A delivery that fails is kept and retried, which is not done here. */
  async #report(step: MoneyStep): Promise<void> {
    const { accountId, programId, service } = this.#app;
    const partnerIds = this.#partners.map(({ partnerId }) => partnerId);
    try {
      await tellStep(service, { accountId, programId, partnerIds }, step);
    } catch (error) {
      if (!(error instanceof ServiceError || error instanceof CurrencyMismatch)) throw error;
    }
  }

  async #send(step: ProgramStep): Promise<Answer | null> {
    const { call } = this.#app;
    const post = (path: string, body: object = {}) => call('POST', path, { body });
    const clickId = 'partner' in step ? (this.#clicks[step.partner] ?? '') : '';
    switch (step.do) {
      case 'lead': {
        const customerEmail = step.hasEmail ? `code${step.customer}@example.com` : undefined;
        return post('/api/track/lead', {
          clickId,
          eventName: 'Sign up',
          customerExternalId: personOf(step.customer),
          customerEmail,
        });
      }
      case 'track': {
        const { customer, payment, amount, hasInvoice } = step;
        const customerEmail = amount % 5 === 0 ? `code${step.partner}@example.com` : undefined;
        const invoice = hasInvoice ? { invoiceId: invoiceOf(payment) } : {};
        return post('/api/track/sale', {
          clickId,
          customerExternalId: personOf(customer),
          amount,
          currency: currencyOf(payment),
          customerEmail,
          ...invoice,
        });
      }
      case 'report': {
        const { customer, payment, amount } = step;
        return post('/api/sales', {
          customerExternalId: personOf(customer),
          invoiceId: invoiceOf(payment),
          amount,
          currency: currencyOf(payment),
        });
      }
      case 'invoice': {
        const { customer, payment, amount, tax } = step;
        const paid = {
          externalId: personOf(customer),
          subscription: 'sub_1',
          amount: amount + tax,
          tax,
          currency: currencyOf(payment),
        };
        return this.#deliver(invoicePaid({ ...paid, invoice: invoiceOf(payment) }));
      }
      case 'checkout': {
        const { customer, payment, amount, tax } = step;
        const paid = { externalId: personOf(customer), amount: amount + tax, tax, currency: currencyOf(payment) };
        return this.#deliver(checkoutCompleted({ ...paid, paymentIntent: intentOf(payment) }));
      }
      case 'join':
        return this.#deliver(invoicePaymentPaid(invoiceOf(step.payment), intentOf(step.payment)));
      case 'refunded charge':
        return this.#deliver(chargeRefunded(intentOf(step.payment), 100_000, step.amount, currencyOf(step.payment)));
      case 'refund': {
        const event = refundOf(intentOf(step.payment), `re_${step.payment}_${step.refund}`, step.amount, step.status);
        return this.#deliver(inCurrency(event, step.payment));
      }
      case 'own refund':
        return post('/api/refunds', {
          invoiceId: invoiceOf(step.payment),
          refundId: `re_${step.payment}_${step.refund}`,
          amount: step.amount,
        });
      case 'dispute': {
        const event = disputeOf(intentOf(step.payment), `dp_${step.payment}_${step.dispute}`, step.amount);
        const isClosed = step.status !== 'needs_response';
        const object = { ...event.data.object, currency: currencyOf(step.payment), status: step.status };
        return this.#deliver({
          ...event,
          type: isClosed ? 'charge.dispute.closed' : event.type,
          data: { object },
        });
      }
      case 'review': {
        const { body } = await call('GET', '/api/sales?review=flagged');
        const sale = body.data[step.sale % Math.max(1, body.data.length)];
        return sale === undefined ? null : post(`/api/sales/${sale.id}/${step.decision}`);
      }
      case 'attribute': {
        const { body } = await call('GET', '/api/parked-payments');
        const [parked] = body.data;
        const partnerId = this.#partners[step.partner]?.partnerId;
        return parked === undefined ? null : post(`/api/parked-payments/${parked.id}/attribute`, { partnerId });
      }
      case 'archive':
        return post(
          `/api/partners/${this.#partners[step.partner]?.partnerId}/${step.isBack ? 'unarchive' : 'archive'}`,
        );
      case 'erase':
        return call('DELETE', `/api/customers/${personOf(step.customer)}/personal-data`);
      case 'terms': {
        const { durationMonths, holdDays, rateBasisPoints } = step;
        const commission = { type: 'percentage', rateBasisPoints };
        return call('PATCH', `/api/programs/${this.#app.programId}`, {
          body: { durationMonths, holdDays, commission },
        });
      }
      case 'end': {
        const { body } = await call('GET', '/api/payouts?status=processing');
        const payout = body.data[step.payout % Math.max(1, body.data.length)];
        return payout === undefined ? null : post(`/api/payouts/${payout.id}/${step.end}`);
      }
      case 'run':
        return post('/api/payouts/run');
      case 'pass':
        this.#clock.now += step.days * DAY_MS;
        return null;
    }
  }

  async #deliver(payload: object): Promise<Answer> {
    const answer = await this.#stripe.deliver({ ...payload, created: Math.floor(this.#clock.now / 1000) });
    if (answer.status !== 200) throw new Error(`A delivery was refused: ${answer.text}`);
    return answer;
  }
}

function inCurrency(event: { data: { object: object } }, payment: number): object {
  return { ...event, data: { object: { ...event.data.object, currency: currencyOf(payment) } } };
}
