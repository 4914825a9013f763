import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Audited, auditAccount } from '../../../src/cli/doctor/audit-account.ts';
import { FIRST_ID } from '../../../src/core/ids.ts';
import type { Database, Transaction } from '../../../src/storage/database.ts';
import { createTestApp, type TestApp } from '../../helpers/app.ts';
import { engines } from '../../helpers/databases.ts';
import { payoutsOf, runPayouts, sell } from '../../helpers/earning.ts';
import { someOf } from '../../helpers/rounds.ts';
import { createReferrer, type Referrer, unique } from '../../helpers/story.ts';

describe.each(engines)('the audits of a large account on %s, all at the same time', (engine) => {
  let app: TestApp;
  let referrers: Referrer[];
  let texts: string[] = [];

  /** Three partners, each with a paid, a processing and a queued payout. */
  beforeAll(async () => {
    app = await createTestApp(engine);
    referrers = [await createReferrer(app), await createReferrer(app), await createReferrer(app)];
    for (const status of ['paid', 'processing', 'queued']) {
      for (const referrer of referrers) {
        await referrer.lead(unique('user'));
        await sell(app, referrer, { amount: 1000 });
      }
      if (status !== 'queued') await runPayouts(app, { at: '2099-12-31' });
      if (status !== 'paid') continue;
      for (const { partnerId } of referrers) {
        for (const { id } of await payoutsOf(app, partnerId, 'processing')) {
          await app.call('POST', `/api/payouts/${id}/paid`);
        }
      }
    }
  });
  afterAll(() => app.close());

  function audit(): Promise<Audited> {
    texts = [];
    const progress = { show: (text: string) => void texts.push(text), clear() {} };
    const account = { id: app.accountId, name: 'Shop' };
    return auditAccount(app.service, account, { progress, databaseUrl: app.databaseUrl, threadsFrom: 1 });
  }
  const change = (sql: string, at: number) =>
    app.service.database.write((tx) => tx.run(sql, { partnerId: referrers[at]?.partnerId ?? '' }));
  const NOTHING = { count: 0, first: null };

  it('find nothing in a sound account, and report their progress', async () => {
    expect(await audit()).toEqual({ sales: NOTHING, partners: NOTHING, results: NOTHING });
    expect(texts.at(-1)).toMatch(/^Shop: checked 9 of 9 sales, 3 of 3 partners, \d+ [a-z ]+$/);
  });

  const OF_PARTNER = 'WHERE partner_id = @partnerId';
  it.each([
    ['sales', 'ledger_entries SET available_at = available_at + %', 'has another partner, currency or time'],
    ['partners', 'ledger_days SET earned = earned + %', 'are not those of its entries'],
    ['partners', 'ledger_days SET paid = paid + %', 'what is paid in usd of'],
    ['partners', 'ledger_days SET in_payouts = in_payouts + %', 'what is in payouts in usd of'],
    ['partners', 'payouts SET entry_count = entry_count + %', 'entries'],
    ['partners', 'open_entries SET amount = amount + %', 'its open entry'],
    ['results', 'leads SET created_at = created_at + 86400000 * %', 'leads by'],
    ['results', 'sales SET amount = amount + %', 'revenue by'],
  ] as const)('find what is wrong in %s: UPDATE %s', async (where, update, message) => {
    for (const at of someOf([0, 1, 2])) {
      await change(`UPDATE ${update.replace('%', '1')} ${OF_PARTNER}`, at);
      const found = await audit();
      await change(`UPDATE ${update.replace('%', '(-1)')} ${OF_PARTNER}`, at);
      expect(found[where].first).toContain(message);
    }
    expect(await audit()).toEqual({ sales: NOTHING, partners: NOTHING, results: NOTHING });
  });

  it('begin while the sales are still being divided', async () => {
    const { database } = app.service;
    const begun = Promise.withResolvers<void>();
    const report: Database['report'] = (unit, options) =>
      database.report(async (tx) => {
        const get: Transaction['get'] = async (sql, parameters) => {
          if (sql.includes('FROM sales') && parameters?.afterId === FIRST_ID) await begun.promise;
          return tx.get(sql, parameters);
        };
        return unit({ ...tx, get });
      }, options);
    const snapshot: Database['snapshot'] = (work, options) => {
      begun.resolve();
      return database.snapshot(work, options);
    };
    const service = { ...app.service, database: { ...database, report, snapshot } };
    const found = await auditAccount(service, { id: app.accountId, name: 'Shop' }, {});
    expect(found).toEqual({ sales: NOTHING, partners: NOTHING, results: NOTHING });
  });

  if (engine === 'sqlite') {
    it('report why one of them could not run', async () => {
      const account = { id: app.accountId, name: 'Shop' };
      const options = { databaseUrl: `${app.databaseUrl}/nowhere`, threadsFrom: 1 };
      await expect(auditAccount(app.service, account, options)).rejects.toThrow(/ENOTDIR|EEXIST|not a directory/);
    });
  }
});
