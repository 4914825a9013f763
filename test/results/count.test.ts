import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countResults } from '../../src/results/count.ts';
import type { SqlParameters, Transaction } from '../../src/storage/database.ts';
import { type LastItem, runLast } from '../../src/storage/write-transaction.ts';
import { engines } from '../helpers/databases.ts';
import { asId } from '../helpers/ids.ts';
import { createProcesses, type Processes } from '../helpers/processes.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { createReferrer, type Referrer, unique } from '../helpers/story.ts';
import { untilTaken } from '../helpers/until-taken.ts';

const AT_ONCE = 16;
const ROUNDS = 8;

describe.each(engines)('many concurrent units that count for one program, on %s', (engine) => {
  let processes: Processes;
  let referrers: Referrer[];
  beforeAll(async () => {
    processes = await createProcesses(engine);
    referrers = [await createReferrer(processes.app), await createReferrer(processes.app)];
  });
  afterAll(() => processes.close());

  it('do not deadlock, and lose nothing', async () => {
    const { app } = processes;
    const before = await deadlocks();
    const customers = Array.from({ length: AT_ONCE * ROUNDS }, () => unique('user'));
    const post = (number: number, path: string, body: object) =>
      untilTaken(() => processes.call(number, 'POST', path, { body }));
    const convert = async (customerExternalId: string, number: number) => {
      const referrer = referrers[number % 2];
      const clickId = await referrer?.click();
      const person = { clickId, customerExternalId };
      const lead = { ...person, eventName: 'Sign up' };
      expect((await post(number, '/api/track/lead', lead)).status).toBe(200);
      const sale = { ...person, amount: 1000 };
      const sold = await post(number + 1, '/api/track/sale', sale);
      expect(sold.status, sold.text).toBe(200);
      const refund = { refundId: unique('re'), amount: 500 };
      expect((await post(number, `/api/sales/${sold.body.sale.id}/refunds`, refund)).status).toBeLessThan(300);
    };
    for (let start = 0; start < customers.length; start += AT_ONCE) {
      await Promise.all(customers.slice(start, start + AT_ONCE).map((customer, n) => convert(customer, n)));
    }
    const { data } = (await app.call('GET', '/api/links')).body;
    const half = customers.length / 2;
    for (const link of data) {
      expect(link).toMatchObject({ clicks: half, leads: half, sales: half });
      expect(link).toMatchObject({ revenue: { usd: half * 1000 }, earnedCommission: { usd: half * 100 } });
    }
    await requireAgreement(app.service, app.accountId);
    expect(await deadlocks()).toBe(before);
  });

  /** How many deadlocks PostgreSQL has resolved in this database; it reports them a second late. */
  async function deadlocks(): Promise<number> {
    if (engine === 'sqlite') return 0;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const sql = 'SELECT deadlocks AS count FROM pg_stat_database WHERE datname = current_database()';
    return (await processes.app.service.database.read((tx) => tx.get<{ count: number }>(sql)))?.count ?? Number.NaN;
  }
});

describe('counting results', () => {
  const sale = {
    programId: asId<'prg'>('prg_1'),
    partnerId: asId<'ptr'>('ptr_1'),
    linkId: null,
    id: 'sal_1f',
    createdAt: 86_400_000 * 35 - 1,
    currency: 'usd',
  };

  /** What one unit of work writes when it counts these changes one by one. */
  async function rowsOf(changes: Parameters<typeof countResults>[1]) {
    const runs: SqlParameters[] = [];
    const run = async (_sql: string, parameters: SqlParameters = {}) => {
      runs.push(parameters);
      return 1;
    };
    const leftToEnd: LastItem[] = [];
    const last = (key: string, work: LastItem['work'], added: unknown) => leftToEnd.push({ key, work, added });
    const unawaited = () => {};
    const tx = { run, last, unawaited } as unknown as Transaction;
    for (const change of changes) countResults(tx, [change]);
    expect(runs).toEqual([]);
    await runLast(tx, leftToEnd);
    return runs;
  }

  it("changes each row once, in one statement, and the partner's rows first", async () => {
    const runs = await rowsOf([
      { ...sale, sales: 1, revenue: 500, commission: 100 },
      { ...sale, commission: -30 },
    ]);
    const counts = { currency: 'usd', clicks: 0, leads: 0, sales: 1, revenue: 500, commission: 70 };
    const numbered = (row: object, number: number) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [`${name}${number}`, value]));
    expect(runs).toEqual([
      {
        ...numbered({ ownerId: 'ptr_1', part: '', span: 32, day: 32, ...counts }, 0),
        ...numbered({ ownerId: 'ptr_1', part: '', span: 1, day: 34, ...counts }, 1),
        ...numbered({ ownerId: 'prg_1', part: '15', span: 1, day: 34, ...counts }, 2),
      },
    ]);
  });

  it('writes nothing without changes', async () => {
    expect(await rowsOf([])).toEqual([]);
  });
});
