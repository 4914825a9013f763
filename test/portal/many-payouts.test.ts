import { expect, it } from 'vitest';
import { CURRENCIES } from '../../src/core/money.ts';
import { createTestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { runPayouts } from '../helpers/earning.ts';
import { createReferrer } from '../helpers/story.ts';

it.each(engines)("a partner's portal adds up however many payouts are on their way, on %s", async (engine) => {
  const app = await createTestApp(engine);
  const { partnerId } = await createReferrer(app);
  const currencies = CURRENCIES.slice(0, 34);
  for (let run = 0; run < 3; run += 1) {
    const adjust = (currency: string) =>
      app.call('POST', '/api/adjustments', { body: { partnerId, amount: 100, currency, reason: 'bonus' } });
    await Promise.all(currencies.map(adjust));
    await runPayouts(app);
  }
  const token = await app.call('POST', '/api/embed/token', { body: { enrollmentId: partnerId } });
  const { body } = await app.call('GET', '/api/embed/referrals/earnings', { key: token.body.publicToken });
  expect(body.data.map(({ currency }: { currency: string }) => currency)).toEqual(currencies.toSorted());
  for (const balance of body.data) expect(balance).toMatchObject({ available: 0, processing: 300 });
  await app.close();
});

it.each(engines)("a page of a partner's payouts is empty only at the end of the list, on %s", async (engine) => {
  const app = await createTestApp(engine);
  const { partnerId } = await createReferrer(app);
  const adjust = (currency: string) =>
    app.call('POST', '/api/adjustments', { body: { partnerId, amount: 100, currency, reason: 'bonus' } });
  const token = await app.call('POST', '/api/embed/token', { body: { enrollmentId: partnerId } });
  const firstPage = async () =>
    (await app.call('GET', '/api/embed/referrals/payouts?limit=2', { key: token.body.publicToken })).body;
  // each of them collects, which the list leaves out
  for (const currency of ['usd', 'eur', 'jpy']) await adjust(currency);
  expect(await firstPage()).toEqual({ data: [], nextCursor: null });
  await runPayouts(app);
  const { data, nextCursor } = await firstPage();
  expect(data.length).toBeGreaterThan(0);
  expect(nextCursor).not.toBe(null);
  await app.close();
});
