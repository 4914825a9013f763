import type { TestApp } from '../../helpers/app.ts';
import { runPayouts, sell } from '../../helpers/earning.ts';
import { createReferrer } from '../../helpers/story.ts';

const DAY_MS = 86_400_000;

/** A clock that a test can set. */
export interface TestClock {
  now: number;
}

/** A partner with a year of business: sales in several states, two payouts, and a link. Ends at the present. */
export async function createBusyPartner(app: TestApp, clock: TestClock): Promise<string> {
  const end = Date.now();
  clock.now = end - 300 * DAY_MS;
  const ana = await createReferrer(app, { name: 'Ana Alvarez', email: 'ana@example.com' });
  const refund = (saleId: string, amount: number) =>
    app.call('POST', `/api/sales/${saleId}/refunds`, { body: { refundId: `re_${saleId}`, amount } });
  for (let month = 0; month < 10; month += 1) {
    for (let count = 0; count < 2 + ((month * 5) % 7); count += 1) {
      const user = `user_${month}_${count}`;
      const customerEmail = `${['mara', 'jon', 'wei', 'ines'][count % 4]}.${count}@example.com`;
      if (count % 3 !== 2) await ana.lead(user, { customerEmail });
      if (count % 3 === 0)
        await sell(app, ana, { customerExternalId: user, customerEmail, amount: 4_900 + 700 * month });
      await ana.click();
    }
    if (month === 4 || month === 7) {
      for (const payout of (await runPayouts(app)).body.data) {
        if (month === 4) await app.call('POST', `/api/payouts/${payout.id}/paid`, { body: {} });
      }
    }
    clock.now += 30 * DAY_MS;
  }
  clock.now = end;
  await refund(await sell(app, ana, { amount: 9_900, customerEmail: 'otto@example.com' }), 2_500);
  await refund(await sell(app, ana, { amount: 4_900, customerEmail: 'pia@example.com' }), 4_900);
  await sell(app, ana, { amount: 12_000, currency: 'jpy', customerEmail: 'ren@example.com' });
  return ana.partnerId;
}
