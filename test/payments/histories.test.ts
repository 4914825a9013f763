import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../../src/accounts/accounts.ts';
import { checkLedger } from '../../src/audit/ledger.ts';
import type { Actor } from '../../src/core/actor.ts';
import type { CustomerHints, Fact } from '../../src/core/facts.ts';
import type { AccountId, ProgramId } from '../../src/core/ids.ts';
import type { Commission } from '../../src/core/terms.ts';
import { adjust } from '../../src/ledger/adjustments.ts';
import { getEarnings } from '../../src/ledger/earnings.ts';
import { earningsQuery } from '../../src/ledger/schemas.ts';
import { applyInterpretation } from '../../src/payments/apply-facts.ts';
import { listSales } from '../../src/payments/list-sales.ts';
import { reviewSale } from '../../src/payments/review-sale.ts';
import { saleListQuery } from '../../src/payments/sale-schemas.ts';
import { listPayouts } from '../../src/payouts/list.ts';
import { runPayouts } from '../../src/payouts/run.ts';
import { payoutListQuery } from '../../src/payouts/schemas.ts';
import { settlePayout } from '../../src/payouts/states.ts';
import { createPartner } from '../../src/programs/partners.ts';
import { changeProgram } from '../../src/programs/programs.ts';
import { partnerInput } from '../../src/programs/schemas.ts';
import { parseInput } from '../../src/schema/parse.ts';
import type { Transaction } from '../../src/storage/database.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { currencyOf, type History, histories, PARTNERS, type Step } from '../helpers/histories.ts';
import { asId } from '../helpers/ids.ts';
import { HISTORY_BEGIN, MoneyModel, partnerEmail } from '../helpers/money-model.ts';

const RUNS = { sqlite: 500, postgres: 150 };
const ACTOR: Actor = { kind: 'command_line' };

describe.each(engines)('histories of money on %s', (engine) => {
  let app: TestApp;
  let now = HISTORY_BEGIN;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => now } });
  });
  afterAll(() => app.close());

  it(`${RUNS[engine]} of them end as the model does, and the ledger agrees with what is stored`, async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        now = HISTORY_BEGIN;
        const model = new MoneyModel(history);
        const told = await begin(history);
        for (const step of history.steps) {
          const before = model.processing();
          if (!model.apply(step)) continue;
          now = model.now;
          await tell(told, step, before);
        }
        await requireSame(told, model);
      }),
      { numRuns: RUNS[engine] },
    );
  }, 120_000);

  interface Told {
    accountId: AccountId;
    programId: ProgramId;
    partnerIds: string[];
  }

  async function begin({ minimumPayout, selfReferral }: History): Promise<Told> {
    const { accountId, programId } = await createAccount(app.service, { name: 'Example Ltd' });
    await changeProgram(app.service, accountId, programId, { minimumPayout, selfReferral });
    const partnerIds: string[] = [];
    for (let partner = 0; partner < PARTNERS; partner += 1) {
      const body = { name: `Partner ${partner}`, email: partnerEmail(partner), discountCodes: [`CODE${partner}`] };
      partnerIds.push((await createPartner(app.service, accountId, parseInput(partnerInput, body))).id);
    }
    return { accountId, programId, partnerIds };
  }

  async function tell(
    { accountId, programId, partnerIds }: Told,
    step: Step,
    processing: ReturnType<MoneyModel['processing']>,
  ) {
    const partnerId = (partner: number) => partnerIds[partner] ?? '';
    switch (step.do) {
      case 'adjustment': {
        const { partner, amountMinor: amount, currency } = step;
        return adjust(app.service, accountId, { partnerId: partnerId(partner), amount, currency, reason: 'Test' });
      }
      case 'terms': {
        const { commission, holdDays, amountBasis } = step;
        const patch = { commission: asPatch(commission), holdDays, amountBasis };
        return changeProgram(app.service, accountId, programId, patch);
      }
      case 'pass':
        return undefined;
      case 'run':
        return Promise.all(
          [1, 2].map(() => runPayouts(app.service, accountId, { at: null, dryRun: false }, { actor: ACTOR })),
        );
      case 'review': {
        const { data } = await listSales(
          app.service,
          accountId,
          parseInput(saleListQuery, { invoiceId: nameOf(step.sale) }),
        );
        const saleId = data[0]?.id ?? '';
        return reviewSale(app.service, { accountId, saleId, decision: step.decision, reason: null, actor: ACTOR });
      }
      case 'end': {
        const ended = processing[step.payout];
        const query = { partnerId: partnerId(ended?.partner ?? 0), status: 'processing', limit: '100' };
        const { data } = await listPayouts(app.service, accountId, parseInput(payoutListQuery, query));
        // among several with the same amount, any will do: their entries are all due
        const payout = data.find(
          ({ currency, amount }) => currency === ended?.currency && amount === ended.amountMinor,
        );
        expect(payout).toBeDefined();
        return settlePayout(app.service, accountId, payout?.id ?? '', { status: step.end, note: null, actor: ACTOR });
      }
      default:
        return app.service.database.write((tx) => deliver(tx, accountId, factOf(step)));
    }
  }

  async function requireSame({ accountId, partnerIds }: Told, model: MoneyModel): Promise<void> {
    for (const [partner, partnerId] of partnerIds.entries()) {
      const { data } = await getEarnings(app.service, accountId, partnerId, parseInput(earningsQuery, {}));
      expect(data).toEqual(model.earningsOf(partner));
      for (const { currency, held, payable, paid } of data) {
        const sql =
          'SELECT CAST(SUM(amount) AS BIGINT) AS sum FROM ledger_entries WHERE partner_id = @partnerId AND currency = @currency';
        const row = await app.service.database.read((tx) => tx.get<{ sum: number }>(sql, { partnerId, currency }));
        expect(row?.sum).toBe(held + payable + paid);
      }
    }
    const { data: sales } = await listSales(app.service, accountId, parseInput(saleListQuery, { limit: '100' }));
    for (const { sale, commissionMinor } of model.sales.values()) {
      const { refundedMinor, reversedMinor } = model.reversalOf(sale);
      expect(sales.find(({ invoiceId }) => invoiceId === nameOf(sale))).toMatchObject({
        commissionAmount: commissionMinor,
        refundedAmount: refundedMinor,
        reversedCommissionAmount: reversedMinor,
      });
    }
    for await (const { kind, id, message } of checkLedger(app.service, accountId))
      throw new Error(`${kind} ${id}: ${message}`);
  }

  function deliver(tx: Transaction, accountId: AccountId, fact: Fact) {
    const scope = {
      accountId,
      now,
      processor: 'stripe' as const,
      deliveryId: asId<'dlv'>('dlv_test'),
      parkedDays: 90,
    };
    return applyInterpretation(tx, scope, { kind: 'facts', facts: [fact] });
  }

  function factOf(step: Extract<Step, { sale: number }>): Fact {
    const references = [nameOf(step.sale)];
    const said = { references, currency: currencyOf(step.sale), occurredAt: now };
    switch (step.do) {
      case 'sale':
        return {
          ...said,
          kind: 'payment.received',
          invoiceId: nameOf(step.sale),
          grossMinor: step.netMinor + step.taxMinor,
          netMinor: step.netMinor,
          taxMinor: step.taxMinor,
          shippingMinor: 0,
          presentment: null,
          recurring: false,
          customer: { ...NOBODY, email: step.bySelf ? partnerEmail(step.partner) : null },
          discountCodes: [`CODE${step.partner}`],
        };
      case 'refund': {
        const refund = { refundId: `re_${step.sale}_${step.refund}`, amountMinor: step.amountMinor };
        return { ...said, kind: 'payment.refunded', refund };
      }
      case 'cumulative refund':
        return { ...said, kind: 'payment.refunded', refund: { cumulativeAmountMinor: step.amountMinor } };
      case 'failed refund': {
        const refundId = `re_${step.sale}_${step.refund}`;
        return { ...said, kind: 'payment.refund_undone', refundId, amountMinor: step.amountMinor };
      }
      case 'dispute': {
        const { amountMinor, state } = step;
        return { ...said, kind: 'payment.disputed', disputeId: `dp_${step.sale}_${step.dispute}`, amountMinor, state };
      }
      case 'review':
        throw new Error('A decision is no fact');
    }
  }
});

const NOBODY: CustomerHints = {
  externalIds: [],
  clickIds: [],
  processorCustomerId: null,
  subscriptionId: null,
  email: null,
  name: null,
};

/** In a merge patch, a missing amount stays; null removes it. */
function asPatch(commission: Commission): object {
  if (commission.type === 'percentage') return commission;
  return { ...commission, amounts: { usd: null, jpy: null, kwd: null, ...commission.amounts } };
}

const nameOf = (sale: number): string => `in_${sale}`;
