import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CsvKind } from '../../src/exchange/csv-fields.ts';
import { importFacts } from '../../src/exchange/moved/run.ts';
import { commissionItems } from '../../src/exchange/sources/partnerstack/map.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint, unique } from '../helpers/story.ts';
import { invoicePaid } from '../helpers/stripe-payloads.ts';
import { counts, type ImportTextOptions, importCsvText } from './import-text.ts';
import { earningsOf, findings } from './sources/moving.ts';

const COMMISSIONS = 'ID,Affiliate,Commission,Currency,State,Date,Customer,Sale amount,Invoice\n';
const SALES = 'Invoice,Partner,User ID,Amount,Currency,Date,Commission,Status,Charge\n';

describe.each(engines)('two rows of one file, on %s', (engine) => {
  let app: TestApp;
  let folder: string;
  let ana: string;
  beforeAll(async () => {
    app = await createTestApp(engine);
    folder = await mkdtemp(join(tmpdir(), 'refbridge-csv-'));
  });
  afterAll(async () => {
    await app.close();
    await rm(folder, { recursive: true, force: true });
  });
  const importText = (kind: CsvKind, text: string, options: ImportTextOptions = {}) =>
    importCsvText(app, folder, kind, { text, ...options });
  const commissions = (...rows: string[]) => importText('commissions', `${COMMISSIONS}${rows.join('\n')}\n`);
  const newPartner = async () => {
    ana = `${unique('ana')}@example.com`;
    await importText('partners', `email,name\n${ana},Ana\n`);
  };

  describe('two commissions of one sale', () => {
    const row = (id: string, invoice: string, state = 'due') =>
      `${id},${ana},5.00,USD,${state},2026-01-10,${unique('user')},50.00,${invoice}`;

    it('are not one, although they are equal: the second is refused until a person settles it', async () => {
      await newPartner();
      const [c1, c2, invoice] = [unique('c'), unique('c'), unique('in')];
      const rows = [row(c1, invoice), row(c2, invoice)];
      const dry = await importText('commissions', `${COMMISSIONS}${rows.join('\n')}\n`, { isDryRun: true });
      expect(dry).toMatchObject(counts(1, 0, 1));
      const first = await commissions(...rows);
      expect(first).toMatchObject(counts(1, 0, 1));
      expect(first.problems[0]?.reason).toMatch(
        new RegExp(`^It is 5\\.00 USD, .* sale sal_\\w+ here, .* commission ${c1} of CSV file.* adjustment`),
      );
      expect(await commissions(...rows)).toMatchObject(counts(0, 1, 1));
      // neither does the second decide whether the first is paid
      expect(await commissions(row(c2, invoice, 'paid'))).toMatchObject(counts(0, 0, 1));
      expect(await earningsOf(app, ana)).toMatchObject([{ earned: 500, payable: 500, paid: 0 }]);
      expect(await commissions(row(c1, invoice, 'paid'))).toMatchObject({ changed: 1 });
      expect(await earningsOf(app, ana)).toMatchObject([{ earned: 500, payable: 0, paid: 500 }]);
      expect(await findings(app)).toEqual([]);
    });

    it('are not one sale that a webhook has reported before', async () => {
      await newPartner();
      const [user, customer, invoice] = [unique('user'), unique('cus'), unique('in')];
      await importText('customers', `User ID,Partner e-mail,Stripe customer\n${user},${ana},${customer}\n`, {
        map: [['Partner e-mail', 'partner']],
      });
      const stripe = await createEndpoint(app, 'stripe');
      const paid = invoicePaid({ invoice, customer, subscription: unique('sub'), amount: 5_000 });
      expect((await stripe.deliver(paid)).body.outcome).toBe('sale');
      const [{ earned }] = await earningsOf(app, ana);
      const same = (id: string) => `${id},${ana},${earned / 100},USD,due,2026-01-10,,,${invoice}`;
      expect(await commissions(same(unique('c')), same(unique('c')))).toMatchObject(counts(1, 0, 1));
      expect(await earningsOf(app, ana)).toMatchObject([{ earned }]);
    });

    it('are one if they come from two services that ran side by side', async () => {
      await newPartner();
      const [c1, invoice] = [unique('c'), unique('in')];
      await commissions(row(c1, invoice));
      const items = commissionItems(
        {
          key: unique('rw'),
          amount: 500,
          currency: 'USD',
          created_at: Date.UTC(2026, 0, 10),
          reward_status: 'approved',
          payment_status: null,
          partnership_key: ana,
          customer: { email: null, customer_key: 'u9' },
          transaction: { amount: 5_000, currency: 'USD' },
          invoice: { key: invoice },
        },
        'USD',
      );
      const source = { name: 'partnerstack', title: 'PartnerStack' };
      const target = { service: app.service, accountId: app.accountId, source, partnersBy: 'address' } as const;
      async function* all() {
        yield* items;
      }
      const options = { isDryRun: false, reportPath: null };
      expect(await importFacts({ ...target, programId: null }, all(), options)).toMatchObject({ created: 1 });
      expect(await earningsOf(app, ana)).toMatchObject([{ earned: 500 }]);
    });

    it('are one if a file of sales states the same commission, but only one of them', async () => {
      await newPartner();
      const invoice = unique('in');
      await importText('sales', `${SALES}${invoice},${ana},${unique('user')},50,USD,2026-01-10,5.00,due,\n`);
      const rows = [row(unique('c'), invoice), row(unique('c'), invoice)];
      expect(await commissions(...rows)).toMatchObject(counts(1, 0, 1));
      expect(await commissions(...rows)).toMatchObject(counts(0, 1, 1));
      expect(await earningsOf(app, ana)).toMatchObject([{ earned: 500 }]);
    });

    it('that an earlier version took for one are reported by the next import', async () => {
      await newPartner();
      const [c1, c2, invoice] = [unique('c'), unique('c'), unique('in')];
      await commissions(row(c1, invoice));
      await app.service.database.write(async (tx) => {
        const { accountId } = app;
        await tx.run("DELETE FROM imported_records WHERE account_id = @accountId AND kind = 'sale'", { accountId });
        await tx.run(
          `INSERT INTO imported_records (account_id, source, kind, source_id, own_id, state, amount, currency)
           SELECT account_id, source, kind, @c2, own_id, state, amount, currency FROM imported_records
           WHERE account_id = @accountId AND source_id = @c1`,
          { accountId, c1, c2 },
        );
      });
      expect(await commissions(row(c1, invoice), row(c2, invoice))).toMatchObject(counts(0, 1, 1));
    });
  });

  it('of sales, whose ids turn out to name one payment, are not one', async () => {
    await newPartner();
    const [user, charge] = [unique('user'), unique('ch')];
    const rows = ['in', 'ord'].map((name) => `${unique(name)},${ana},${user},50,USD,2026-01-10,5.00,due,${charge}\n`);
    expect(await importText('sales', SALES + rows.join(''))).toMatchObject(counts(1, 0, 1));
    expect(await earningsOf(app, ana)).toMatchObject([{ earned: 500 }]);
  });
});
