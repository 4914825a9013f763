import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insideUnit } from '../../src/app/inside-unit.ts';
import { applyFact } from '../../src/exchange/moved/apply.ts';
import type { MovedCommission, MovedFact, MovedPayout } from '../../src/exchange/moved/facts.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { unique } from '../helpers/story.ts';

const AT = Date.UTC(2026, 0, 1);
const FACTS = 8;

describe.each(engines)('two imports of the same account at once, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  const newPartner = async (): Promise<string> => {
    const body = { name: 'Ana', email: `${unique('ana')}@example.com` };
    return (await app.call('POST', '/api/partners', { body })).body.id;
  };
  const apply = (fact: MovedFact) => {
    const { service, accountId } = app;
    const source = { name: 'rewardful', title: 'Rewardful' };
    const target = { accountId, source, partnersBy: 'address', programId: null } as const;
    const unit = { alone: true };
    return service.database.write((tx) => applyFact({ ...target, tx, service: insideUnit(service, tx) }, fact), unit);
  };
  const commissionOf = (partnerId: string, sale: MovedCommission['sale']): MovedCommission => ({
    kind: 'commission',
    id: unique('com'),
    partnerId,
    amountMinor: 500,
    currency: 'usd',
    status: 'open',
    occurredAt: AT,
    dueAt: AT,
    paidAt: null,
    payout: null,
    payment: { processor: 'stripe', invoiceId: null, references: [] },
    sale,
  });
  const payoutOf = (partnerId: string): MovedPayout => ({
    kind: 'payout',
    id: unique('pay'),
    partnerId,
    amountMinor: 500,
    currency: 'usd',
    paidAt: AT,
  });
  const saleOf = (): MovedCommission['sale'] => ({
    customer: { externalId: unique('user'), email: null, name: null, atProcessor: null },
    amountMinor: 5000,
    grossMinor: 5000,
    refundedMinor: 0,
    currency: 'usd',
  });
  const entriesOf = (partnerId: string) =>
    app.service.database.read((tx) =>
      tx.all<{ amount: number }>('SELECT amount FROM ledger_entries WHERE partner_id = @partnerId', { partnerId }),
    );

  it.each<[string, (partnerId: string) => MovedFact]>([
    ['a commission without a sale', (partnerId) => commissionOf(partnerId, null)],
    ['a commission of a sale that has no ids', (partnerId) => commissionOf(partnerId, saleOf())],
    ['a payout as a whole', payoutOf],
  ])('count %s once', async (_, factOf) => {
    const partnerId = await newPartner();
    const facts = Array.from({ length: FACTS }, () => factOf(partnerId));
    const applied = await Promise.all(facts.flatMap((fact) => [apply(fact), apply(fact)]));
    const results = applied.map(({ result }) => result);
    expect(results.filter((result) => result === 'created')).toHaveLength(FACTS);
    expect(results.filter((result) => result === 'unchanged')).toHaveLength(FACTS);
    expect(await entriesOf(partnerId)).toEqual(facts.map(() => ({ amount: 500 })));
  });
});
