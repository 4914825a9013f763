import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FurnishedStage } from '../../src/cli/demo/furnish.ts';
import { furnishWithHistory } from '../../src/cli/demo/stage.ts';
import { accountChecks } from '../../src/cli/doctor/account-checks.ts';
import { createId } from '../../src/ids.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';

const DAY_MS = 86_400_000;

describe('the year of business behind the demo', () => {
  let app: TestApp;
  let stage: FurnishedStage;
  const now = Date.now();
  beforeAll(async () => {
    app = await createTestApp('sqlite');
    stage = await furnishWithHistory(app.service, now);
  });
  afterAll(() => app.close());

  const get = async (path: string) => (await app.call('GET', path, { key: stage.apiKey })).body;
  const rows = <Row>(sql: string) => app.service.database.read((tx) => tx.all<Row>(sql));
  const countOf = async (table: string) => (await rows<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`))[0]?.n ?? 0;

  it('leaves nothing broken: sums and ledger match the rows that they count', async () => {
    // on a slow machine, the retry of the delivery that fails is due before the year is stored
    const service = { ...app.service, clock: () => now };
    const checks = (await accountChecks(service)).filter(({ message }) => message.includes('Fern & Field'));
    expect(checks.filter(({ status }) => status === 'failed')).toEqual([]);
    expect(checks.filter(({ check }) => ['ledger', 'results'].includes(check)).map(({ status }) => status)).toEqual([
      'ok',
      'ok',
    ]);
  });

  it('is large enough for charts, and grows', async () => {
    expect(await countOf('sales')).toBeGreaterThan(4_000);
    expect(await countOf('sales')).toBeLessThan(6_500);
    expect(await countOf('leads')).toBeGreaterThan(2_000);
    expect(await countOf('clicks')).toBeGreaterThan(20_000);
    const salesOf = async (from: number, to: number) => countOf(`sales WHERE created_at BETWEEN ${from} AND ${to}`);
    const spring = await salesOf(now - 270 * DAY_MS, now - 240 * DAY_MS);
    expect(await salesOf(now - 30 * DAY_MS, now)).toBeGreaterThan(2 * spring);
  });

  it.each(['leads', 'sales', 'ledger_entries', 'deliveries', 'clicks'])(
    'has %s whose ids carry their time',
    async (table) => {
      const column = table === 'deliveries' ? 'received_at' : 'created_at';
      const found = await rows<{ id: string; at: number }>(`SELECT id, ${column} AS at FROM ${table}`);
      expect(found.length).toBeGreaterThan(500);
      const wrong = found.filter(({ id, at }) => Math.abs(Number.parseInt(id.slice(4, 16), 16) - at) > 1_000);
      expect(wrong).toEqual([]);
      expect(Math.max(...found.map(({ at }) => at))).toBeLessThanOrEqual(now);
    },
  );

  it('has paid, processing and due payouts, and items that need attention', async () => {
    const { attention, owed, payouts } = await get('/api/overview');
    for (const matter of ['failedDeliveries', 'parkedPayments', 'flaggedSales', 'openDisputes']) {
      expect([matter, attention[matter].count]).toEqual([matter, expect.toSatisfy((count) => count > 0 && count < 20)]);
    }
    for (const sums of [owed.paid, owed.processing, owed.held]) expect(sums.usd).toBeGreaterThan(0);
    expect(payouts.find(({ currency }: { currency: string }) => currency === 'usd').amount).toBeGreaterThan(0);
    expect((await get('/api/payouts?status=failed')).data).toHaveLength(1);
    const { data } = await get('/api/partners?limit=100');
    expect(data).toHaveLength(15);
  });

  it('ends: new ids carry the present time again', () => {
    expect(Number.parseInt(createId('sal').slice(4, 16), 16)).toBeGreaterThanOrEqual(now);
  });
});
