import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { CsvKind } from '../../../src/exchange/csv-fields.ts';
import { importCsv } from '../../../src/exchange/import-csv.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { createTestApp, type TestApp } from '../../helpers/app.ts';
import { applyFacts, hints, received } from '../../helpers/facts.ts';
import { type ObservedPostgres, observePostgres } from '../../helpers/postgres-traffic.ts';
import { createTestService } from '../../helpers/service.ts';

const ROWS = 60;
const PAYMENTS = 20;
const rows = (row: (n: number) => string) => Array.from({ length: ROWS }, (_, n) => row(n)).join('\n');

describe('what a row of an import costs on PostgreSQL', () => {
  let app: TestApp;
  let observed: ObservedPostgres;
  beforeAll(async () => {
    // pages that take long are stored in several units of work, as on a busy machine
    vi.useFakeTimers({ toFake: ['performance'] });
    app = await createTestApp('postgres');
    observed = await observePostgres(app.databaseUrl);
    for (const n of [0, 1, 2, 3, 4]) {
      await app.call('POST', '/api/partners', { body: { name: `Partner ${n}`, email: `partner${n}@example.com` } });
    }
  });
  afterAll(async () => {
    vi.useRealTimers();
    await observed.close();
    await app.close();
  });

  /** Per row. The page of one row with which an import begins is part of it. */
  async function costOf(kind: CsvKind, text: string, created = ROWS) {
    const database = await openDatabase(observed.url);
    const target = { service: createTestService({ database }), accountId: app.accountId, programId: null };
    async function* file() {
      yield Buffer.from(text);
    }
    const options = { file: file(), kind, columns: new Map(), isDryRun: false, reportPath: null };
    const traffic = await observed.observe(async () => {
      expect(await importCsv(target, options)).toMatchObject({ created });
    });
    await database.close();
    const commits = traffic.statements.filter((sql) => sql === 'COMMIT').length;
    return { waits: traffic.waits / ROWS, statements: traffic.statements.length / ROWS, commits: commits / ROWS };
  }

  it('a customer: whose they will be, what is known, all writes, and a part of a commit', async () => {
    const text = rows((n) => `user${n},user${n}@example.com,partner${n % 5}@example.com,cus_${n}`);
    const cost = await costOf('customers', `externalId,email,partner,stripeCustomerId\n${text}`);
    expect(cost.waits).toBeLessThan(7);
    expect(cost.statements).toBeLessThan(14);
    expect(cost.commits).toBeLessThan(0.2);
  });

  it('a sale: what is known of it and of its partner, the look-ups behind its claim, all writes, and a part of a commit', async () => {
    const text = rows((n) => `in_${n},partner${n % 5}@example.com,buyer${n},50,USD,2026-01-05,5,due,stripe,ch_${n}`);
    const head = 'invoiceId,partner,customer,amount,currency,date,commission,status,processor,reference';
    const cost = await costOf('sales', `${head}\n${text}`);
    expect(cost.waits).toBeLessThan(7);
    expect(cost.statements).toBeLessThan(25);
    expect(cost.commits).toBeLessThan(0.2);
  });

  it('a payment that waits for the customer: the payment, whose it is, what is known of its reversal, and all writes', async () => {
    const payer = hints({ processorCustomerId: 'cus_mia', externalId: 'mia' });
    for (let n = 0; n < PAYMENTS; n += 1)
      await applyFacts(app.service, app.accountId, received([`in_mia_${n}`], payer));
    const head = 'externalId,partner,stripeCustomerId';
    const { waits } = await costOf('customers', `${head}\nmia,partner0@example.com,cus_mia`, 1);
    expect((waits * ROWS) / PAYMENTS).toBeLessThan(6);
  });
});
