import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listLedger } from '../../src/ledger/list.ts';
import { ledgerQuery } from '../../src/ledger/schemas.ts';
import { listSales } from '../../src/payments/lists/list-sales.ts';
import { saleListQuery } from '../../src/payments/resources/sale-schemas.ts';
import { parseInput } from '../../src/schema/parse.ts';
import type { Unit } from '../../src/storage/database.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { sell } from '../helpers/earning.ts';
import { createReferrer, type Referrer } from '../helpers/story.ts';

describe.each(engines)('lists of one currency on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  beforeAll(async () => {
    app = await createTestApp(engine);
    referrer = await createReferrer(app);
    await sell(app, referrer, { amount: 1000 });
    const free = await createReferrer(app, { commission: { type: 'percentage', rateBasisPoints: 0 } });
    await sell(app, free, { amount: 2000, currency: 'eur' });
    const adjustment = { partnerId: referrer.partnerId, amount: 500, currency: 'jpy', reason: 'a bonus' };
    expect((await app.call('POST', '/api/adjustments', { body: adjustment })).status).toBe(201);
  });
  afterAll(() => app.close());

  /** The service, and every SQL text that its reports send. */
  function watched() {
    const texts: string[] = [];
    const { database } = app.service;
    const report = <T>(unit: Unit<T>) =>
      database.report((tx) =>
        unit({
          ...tx,
          all: (sql, parameters) => {
            texts.push(sql);
            return tx.all(sql, parameters);
          },
        }),
      );
    return { service: { ...app.service, database: { ...database, report } }, texts };
  }

  it('include the sales without a commission and the entries without a sale', async () => {
    const amounts = async (path: string) =>
      (await app.call('GET', path)).body.data.map(({ amount }: { amount: number }) => amount);
    expect(await amounts('/api/sales?currency=usd')).toEqual([1000]);
    expect(await amounts('/api/sales?currency=eur')).toEqual([2000]);
    expect(await amounts('/api/ledger?currency=jpy')).toEqual([500]);
    expect(await amounts('/api/ledger?currency=usd')).toHaveLength(1);
  });

  it('walk no sale and no entry when the account never had the currency', async () => {
    const { service, texts } = watched();
    const nothing = { data: [], nextCursor: null };
    expect(await listSales(service, app.accountId, parseInput(saleListQuery, { currency: 'gbp' }))).toEqual(nothing);
    expect(await listLedger(service, app.accountId, parseInput(ledgerQuery, { currency: 'gbp' }))).toEqual(nothing);
    expect(texts).toEqual([]);
    await listSales(service, app.accountId, parseInput(saleListQuery, { currency: 'usd' }));
    expect(texts).not.toEqual([]);
  });
});
