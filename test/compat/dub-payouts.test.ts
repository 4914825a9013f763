import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { payoutsOf, runPayouts, sell } from '../helpers/earning.ts';
import { hold } from '../helpers/held-payouts.ts';
import { createReferrer } from '../helpers/story.ts';
import { dubFor } from './dub.ts';

describe.each(engines)('the package dub, reading payouts on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  it('lists one that is held as processing, page by page in the order of all of them', async () => {
    const dub = dubFor(app, app.apiKey);
    const referrer = await createReferrer(app);
    const ids: string[] = [];
    for (let payout = 0; payout < 4; payout += 1) {
      await sell(app, referrer);
      await runPayouts(app, { at: '2099-12-31' });
      ids.unshift((await payoutsOf(app, referrer.partnerId, 'processing'))[0].id);
    }
    for (const id of [ids[0], ids[2]]) expect(await hold(app.service, app.accountId, id ?? '')).toBe(true);
    const list = async (page: number, pageSize: number) => {
      const found = await dub.payouts.list({ partnerId: referrer.partnerId, status: 'processing', page, pageSize });
      for (const { status } of found) expect(status).toBe('processing');
      return found.map(({ id }) => id);
    };
    expect(await list(1, 100)).toEqual(ids);
    expect([await list(1, 3), await list(2, 3), await list(3, 3)]).toEqual([ids.slice(0, 3), ids.slice(3), []]);
    expect([await list(1, 2), await list(2, 2), await list(3, 2)]).toEqual([ids.slice(0, 2), ids.slice(2), []]);
  });
});
