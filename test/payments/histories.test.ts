import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Actor } from '../../src/core/actor.ts';
import { getEarnings } from '../../src/ledger/earnings.ts';
import { earningsQuery } from '../../src/ledger/schemas.ts';
import { listSales } from '../../src/payments/lists/list-sales.ts';
import { saleListQuery } from '../../src/payments/resources/sale-schemas.ts';
import { listPayouts } from '../../src/payouts/list.ts';
import { runPayouts } from '../../src/payouts/run.ts';
import { payoutListQuery } from '../../src/payouts/schemas.ts';
import { settlePayout } from '../../src/payouts/states.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { hold } from '../helpers/held-payouts.ts';
import { histories, type Step } from '../helpers/histories.ts';
import { HISTORY_BEGIN, MoneyModel } from '../helpers/money-model.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { rounds } from '../helpers/rounds.ts';
import { beginHistory, nameOf, type Told, tellStep } from '../helpers/tell-history.ts';

const RUNS = { sqlite: rounds(500), postgres: rounds(150) };
const ACTOR: Actor = { kind: 'command_line' };

describe.each(engines)('histories of money on %s', (engine) => {
  let app: TestApp;
  let now = HISTORY_BEGIN;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => now } });
  });
  afterAll(() => app.close());

  it(`${RUNS[engine]} of them end as in the model, and the ledger matches what is stored`, async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        now = HISTORY_BEGIN;
        const model = new MoneyModel(history);
        const told = await beginHistory(app.service, history);
        for (const step of history.steps) {
          const before = model.underWay().map((payout) => ({ ...payout }));
          if (!model.apply(step)) continue;
          now = model.now;
          await tell(told, step, before);
        }
        await requireSame(told, model);
      }),
      { numRuns: RUNS[engine] },
    );
  });

  async function tell(told: Told, step: Step, underWay: ReturnType<MoneyModel['underWay']>) {
    const { accountId, partnerIds } = told;
    switch (step.do) {
      case 'pass':
        return undefined;
      case 'run':
        return Promise.all(
          [1, 2].map(() => runPayouts(app.service, accountId, { at: null, dryRun: false }, { actor: ACTOR })),
        );
      case 'hold':
      case 'end': {
        const ended = underWay[step.payout];
        const query = { partnerId: partnerIds[ended?.partner ?? 0] ?? '', status: ended?.status ?? '', limit: '100' };
        const { data } = await listPayouts(app.service, accountId, parseInput(payoutListQuery, query));
        // any of several payouts with the same amount works, because their entries are all due
        const payout = data.find(
          ({ currency, amount }) => currency === ended?.currency && amount === ended.amountMinor,
        );
        expect(payout).toBeDefined();
        if (step.do === 'hold') return expect(await hold(app.service, accountId, payout?.id ?? '')).toBe(true);
        return settlePayout(app.service, accountId, payout?.id ?? '', { status: step.end, note: null, actor: ACTOR });
      }
      default:
        return tellStep(app.service, told, step);
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
    await requireAgreement(app.service, accountId);
  }
});
