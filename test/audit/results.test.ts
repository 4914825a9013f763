import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkResults, type WrongResult } from '../../src/audit/results.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { sell } from '../helpers/earning.ts';
import { createReferrer, type Referrer, unique } from '../helpers/story.ts';

const NOW = Date.UTC(2026, 10, 10, 12);
const DAY = Math.floor(NOW / 86_400_000);

describe.each(engines)('the check of results per day on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => NOW } });
    referrer = await createReferrer(app);
    await referrer.lead(unique('user'));
    const saleId = await sell(app, referrer);
    await app.call('POST', `/api/sales/${saleId}/refunds`, { body: { refundId: 're_1', amount: 1000 } });
  });
  afterAll(() => app.close());

  async function wrongResults(): Promise<WrongResult[]> {
    const found: WrongResult[] = [];
    for await (const wrong of checkResults(app.service, app.accountId)) found.push(wrong);
    return found;
  }

  async function tamper(change: string, undo: string): Promise<WrongResult[]> {
    expect(await wrongResults()).toEqual([]);
    const ids = { partnerId: referrer.partnerId, programId: app.programId, linkId: referrer.linkId, day: DAY };
    await app.service.database.write((tx) => tx.run(change, ids));
    const found = await wrongResults();
    await app.service.database.write((tx) => tx.run(undo, ids));
    return found;
  }

  it.each(['leads', 'sales', 'revenue', 'commission'])("finds a partner's wrong %s", async (column) => {
    const currency = column === 'leads' ? '' : 'usd';
    const where = `WHERE owner_id = @partnerId AND part = @linkId AND currency = '${currency}'`;
    const found = await tamper(
      `UPDATE result_days SET ${column} = ${column} + 2 ${where}`,
      `UPDATE result_days SET ${column} = ${column} - 2 ${where}`,
    );
    const where10 = `2026-11-10 of ${referrer.linkId}${currency === '' ? '' : ' in usd'}`;
    const message = `the sums of ${where10} are wrong: ${column} by +2`;
    expect(found).toEqual([{ kind: 'partner', id: referrer.partnerId, message }]);
  });

  it.each(['clicks', 'leads', 'sales', 'revenue', 'commission'])("finds a program's wrong %s", async (column) => {
    const isOne = `owner_id = @programId AND ${column} > 0 AND part = (
      SELECT MIN(i.part) FROM result_days i WHERE i.owner_id = @programId AND i.${column} > 0)`;
    const found = await tamper(
      `UPDATE result_days SET ${column} = ${column} + 2 WHERE ${isOne}`,
      `UPDATE result_days SET ${column} = ${column} - 2 WHERE ${isOne}`,
    );
    const message = expect.stringMatching(`^the sums of 2026-11-10( in usd)? are wrong: ${column} by \\+2$`);
    expect(found).toEqual([{ kind: 'program', id: app.programId, message }]);
  });

  it("finds a link's wrong clicks, whoever owns the link", async () => {
    const where = `owner_id = @partnerId AND part = @linkId AND currency = ''`;
    const found = await tamper(
      `UPDATE result_days SET clicks = clicks - 1 WHERE ${where}`,
      `UPDATE result_days SET clicks = clicks + 1 WHERE ${where}`,
    );
    const message = 'the sums of 2026-11-10 are wrong: clicks by -1';
    expect(found).toEqual([{ kind: 'link', id: referrer.linkId, message }]);
  });

  it('finds sums of a day on which nothing happened', async () => {
    const found = await tamper(
      `INSERT INTO result_days (owner_id, part, span, day, currency, clicks, leads, sales, revenue, commission)
       VALUES (@partnerId, '', 1, @day - 7, 'eur', 0, 0, 1, 500, 100)`,
      `DELETE FROM result_days WHERE owner_id = @partnerId AND part = '' AND currency = 'eur' AND day = @day - 7`,
    );
    expect(found.map(({ message }) => message)).toEqual([
      'the sums of 2026-11-03 in eur are wrong: sales by +1, revenue by +500, commission by +100',
      'the sums of 32 days from 2026-10-10 in eur are wrong: sales by -1, revenue by -500, commission by -100',
    ]);
  });

  it('finds wrong sums of a block of days', async () => {
    const where = `owner_id = @partnerId AND part = @linkId AND span = 32 AND currency = 'usd'`;
    const found = await tamper(
      `UPDATE result_days SET revenue = revenue - 7 WHERE ${where}`,
      `UPDATE result_days SET revenue = revenue + 7 WHERE ${where}`,
    );
    const message = `the sums of 32 days from 2026-10-10 of ${referrer.linkId} in usd are wrong: revenue by -7`;
    expect(found).toEqual([{ kind: 'partner', id: referrer.partnerId, message }]);
  });

  it('finds sales that were not counted, in every period that it reads', async () => {
    const column = 'SET created_at = created_at + ';
    const where = 'WHERE partner_id = @partnerId';
    // more sales than one query adds up
    const many = `INSERT INTO result_days (owner_id, part, span, day, currency, clicks, leads, sales, revenue, commission)
      VALUES (@partnerId, 'x', 1, @day - 1, 'usd', 0, 0, 6000, 0, 0), (@partnerId, 'x', 1, @day + 1, 'usd', 0, 0, 6000, 0, 0)`;
    const ids = { partnerId: referrer.partnerId, day: DAY };
    await app.service.database.write((tx) => tx.run(many, ids));
    await app.service.database.write((tx) => tx.run(`UPDATE sales ${column}172800000 ${where}`, ids));
    const wrong = (await wrongResults()).filter(({ kind }) => kind === 'partner').map(({ message }) => message);
    const found = wrong.filter((message) => !message.includes('32 days'));
    await app.service.database.write((tx) => tx.run(`UPDATE sales ${column}-172800000 ${where}`, ids));
    await app.service.database.write((tx) => tx.run("DELETE FROM result_days WHERE part = 'x'"));
    const sale = (sign: string) => `sales by ${sign}1, revenue by ${sign}10000, commission by ${sign}1800`;
    expect(found).toEqual([
      'the sums of 2026-11-09 of x in usd are wrong: sales by +6000',
      `the sums of 2026-11-10 of ${referrer.linkId} in usd are wrong: ${sale('+')}`,
      `the sums of 2026-11-12 of ${referrer.linkId} in usd are wrong: ${sale('-')}`,
      'the sums of 2026-11-11 of x in usd are wrong: sales by +6000',
    ]);
    expect(await wrongResults()).toEqual([]);
  });

  it('ignores other accounts', async () => {
    const other = await app.addAccount('Other Ltd');
    for await (const found of checkResults(app.service, other.accountId)) expect(found).toBeUndefined();
  });
});
