import { afterAll, beforeAll, expect, it } from 'vitest';
import type { MovedFact, MovedPartner } from '../../src/exchange/moved/facts.ts';
import { importFacts } from '../../src/exchange/moved/run.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { counts } from './import-text.ts';

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp('sqlite');
});
afterAll(() => app.close());

const PARTNER = {
  kind: 'partner',
  programId: null,
  name: 'Ana',
  tenantId: null,
} as const satisfies Partial<MovedPartner>;
const FACTS: MovedFact[] = [
  { ...PARTNER, id: 'p_1', email: 'ana@example.com' },
  { ...PARTNER, id: 'p_2', email: 'Ana@example.com' },
  { kind: 'link', id: 'l_1', partnerId: 'p_1', domain: null, key: 'ana', url: 'https://shop.example.com/' },
  { kind: 'code', id: 'k_1', partnerId: 'p_2', code: 'ANA10' },
  { kind: 'customer', id: 'c_1', partnerId: 'p_1', externalId: 'mia', email: null, name: null, atProcessor: null },
  {
    ...{ kind: 'commission', id: 'm_1', partnerId: 'p_2', amountMinor: 500, currency: 'usd', sale: null },
    ...{ status: 'paid', occurredAt: 1, dueAt: null, paidAt: 1, payout: { id: 'po_1', paidAt: 1 } },
    payment: { processor: 'custom', invoiceId: null, references: [] },
  },
  { kind: 'payout', id: 'po_1', partnerId: 'p_2', amountMinor: 500, currency: 'usd', paidAt: 1 },
];

it('an import finds one partner under two ids, and its dry run says so', async () => {
  const importAll = async (isDryRun: boolean) => {
    const source = { name: 'old', title: 'Old service' };
    const target = { service: app.service, accountId: app.accountId, source, partnersBy: 'source id' } as const;
    async function* items() {
      yield* FACTS;
    }
    const { byKind, problems, ...all } = await importFacts({ ...target, programId: null }, items(), {
      isDryRun,
      reportPath: null,
    });
    return { byKind, problems, all };
  };
  const dry = await importAll(true);
  expect(dry).toMatchObject({ problems: [], all: { ...counts(4, 2, 0), changed: 1 } });
  const real = await importAll(false);
  expect(real).toEqual({ ...dry, all: { ...real.all, dryRun: false } });
  expect((await importAll(false)).all).toMatchObject(counts(0, 7, 0));
});
