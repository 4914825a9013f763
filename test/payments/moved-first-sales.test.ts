import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/core/time.ts';
import { ServiceError } from '../../src/errors.ts';
import { listSales } from '../../src/payments/lists/list-sales.ts';
import { saleInput, saleListQuery } from '../../src/payments/resources/sale-schemas.ts';
import { trackSale } from '../../src/payments/sale.ts';
import { archivePartner } from '../../src/programs/archive.ts';
import { changeProgram } from '../../src/programs/programs.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { createReferredAccount, type ReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { lead } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, hints, received } from '../helpers/facts.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { rounds } from '../helpers/rounds.ts';

const BEGIN = Date.UTC(2026, 0, 31);
const PAYMENTS = 4;
const onDay = (days: number) => BEGIN + days * DAY_MS;
const RUNS = { sqlite: rounds(1000), postgres: rounds(50) };

/** What reaches the service, in days since the begin; a processor also says when the payment was made. */
type Step =
  | { do: 'backend'; payment: number; on: number }
  | { do: 'processor'; payment: number; on: number; paidOn: number }
  | { do: 'months'; months: number | null; on: number }
  | { do: 'archive'; on: number };

const day = fc.nat({ max: 60 });
const months = fc.constantFrom(null, 0, 1, 1, 1, 2);
const payment = fc.record({ paidOn: day, backendAfter: fc.option(day), processorAfter: fc.option(day) });
const history = fc.record({
  months,
  payments: fc.array(payment, { minLength: 2, maxLength: PAYMENTS }),
  changes: fc.array(fc.record({ do: fc.constant('months' as const), months, on: day }), { maxLength: 1 }),
  archivedOn: fc.option(fc.integer({ min: 20, max: 90 }), { freq: 2 }),
});

type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never;

function stepsOf({ payments, changes, archivedOn }: History): Step[] {
  const reports = payments.flatMap(({ paidOn, backendAfter, processorAfter }, nth): Step[] => [
    ...(backendAfter === null ? [] : [{ do: 'backend' as const, payment: nth, on: paidOn + backendAfter }]),
    ...(processorAfter === null
      ? []
      : [{ do: 'processor' as const, payment: nth, on: paidOn + processorAfter, paidOn }]),
  ]);
  const archive = archivedOn === null ? [] : [{ do: 'archive' as const, on: archivedOn }];
  return [...reports, ...changes, ...archive].toSorted((one, other) => one.on - other.on);
}

type Report = Extract<Step, { payment: number }>;

interface ModelSale {
  payment: number;
  at: number;
  months: number | null;
  isBackends: boolean;
  /** When the customer's first sale was made, as known when this one was recorded. */
  firstAt: number;
  earns: boolean;
}

function monthsLater(at: number, count: number): number {
  const date = new Date(at);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count + 1, 0)).getUTCDate();
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count, Math.min(date.getUTCDate(), last));
}

/** `durationMonths` and the times of sales as docs/decisions.md states them. */
class Model {
  readonly sales: ModelSale[] = [];
  months: number | null;
  archivedAt = Number.POSITIVE_INFINITY;
  constructor(first: number | null) {
    this.months = first;
  }

  tell(told: Report, at: number): void {
    const known = this.sales.find((sale) => sale.payment === told.payment);
    if (known === undefined) {
      const firstAt = Math.min(...this.sales.map((sale) => sale.at));
      const sale = { payment: told.payment, at, months: this.months, isBackends: told.do === 'backend', firstAt };
      this.sales.push({ ...sale, earns: this.#earns(sale) });
    } else if (told.do === 'processor' && known.isBackends && at < known.at) {
      known.at = at;
      known.earns ||= this.#earns(known);
    }
  }

  #earns({ months: count, at, firstAt }: Omit<ModelSale, 'earns'>): boolean {
    if (at >= this.archivedAt) return false;
    if (count === null || firstAt === Number.POSITIVE_INFINITY) return true;
    return count > 0 && at < monthsLater(firstAt, count);
  }
}

describe.each(engines)('which sales of a customer earn, by their time, on %s', (engine) => {
  let app: TestApp;
  let now = BEGIN;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => now } });
  });
  afterAll(() => app.close());

  async function tell({ accountId, clickId }: ReferredAccount, told: Report, occurredAt: number): Promise<void> {
    const invoiceId = `in_${told.payment}`;
    if (told.do === 'processor') {
      await applyFacts(app.service, accountId, received([invoiceId], hints({ externalId: 'mia' }), { occurredAt }));
      return;
    }
    const body = { clickId, customerExternalId: 'mia', amount: 10_000, invoiceId, paymentProcessor: 'stripe' };
    await trackSale(app.service, accountId, parseInput(saleInput, body)).catch((error: unknown) => {
      if (!(error instanceof ServiceError && error.code === 'DUPLICATE_INVOICE')) throw error;
    });
  }

  async function apply(account: ReferredAccount, model: Model, step: Step): Promise<void> {
    const { accountId, programId, partnerId } = account;
    switch (step.do) {
      case 'archive':
        await archivePartner(app.service, accountId, partnerId, true);
        model.archivedAt = now;
        return;
      case 'months':
        await changeProgram(app.service, accountId, programId, { durationMonths: step.months });
        model.months = step.months;
        return;
      default: {
        const at = step.do === 'backend' ? now : onDay(step.paidOn);
        await tell(account, step, at);
        model.tell(step, at);
      }
    }
  }

  it(`is as documented, whoever reports them in any order, in ${RUNS[engine]} histories`, async () => {
    await fc.assert(
      fc.asyncProperty(history, async (told) => {
        now = BEGIN;
        const account = await createReferredAccount(app.service, { durationMonths: told.months });
        await lead(app, account);
        const model = new Model(told.months);
        for (const step of stepsOf(told)) {
          now = onDay(step.on);
          await apply(account, model, step);
        }
        const { data } = await listSales(app.service, account.accountId, parseInput(saleListQuery, {}));
        const sales = data.map(({ invoiceId, occurredAt, commissionAmount }) => [
          invoiceId,
          Date.parse(occurredAt),
          commissionAmount,
        ]);
        const expected = model.sales.map(({ payment: nth, at, earns }) => [`in_${nth}`, at, earns ? 2_000 : 0]);
        expect(sales.toSorted()).toEqual(expected.toSorted());
        await requireAgreement(app.service, account.accountId);
      }),
      { numRuns: RUNS[engine] },
    );
  });
});
