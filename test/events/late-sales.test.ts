import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { noteSalesOnHold } from '../../src/events/approvals.ts';
import { createListener, fetchEvents } from '../../src/events/listeners.ts';
import { KNOWN_MS } from '../../src/events/subscriptions.ts';
import { recordApprovals } from '../../src/payments/approved.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { sell } from '../helpers/earning.ts';
import { createReferrer, type Referrer } from '../helpers/story.ts';

const DAY_MS = 86_400_000;

describe.each(engines)('a sale whose unit of work does not know yet that somebody subscribes, on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let later = 0;
  beforeAll(async () => {
    // units rely on what an earlier one has read until this time advances
    vi.useFakeTimers({ toFake: ['performance'] });
    app = await createTestApp(engine, { service: { clock: () => Date.now() + later } });
    referrer = await createReferrer(app);
  });
  afterAll(async () => {
    vi.useRealTimers();
    await app.close();
  });

  it('is reported when its hold is over, although it is committed after the sales on hold were scheduled', async () => {
    const { service, accountId } = app;
    const onHold = await sell(app, referrer);
    const subscribing = createListener(service, accountId, ['sale.approved']);
    const isNoted = async () => {
      await noteSalesOnHold(service);
      const sql = 'SELECT COUNT(*) AS n FROM event_approvals';
      return (await service.database.read((tx) => tx.get<{ n: number }>(sql)))?.n;
    };
    await expect.poll(isNoted, { interval: 1 }).toBe(1);
    const late = await sell(app, referrer);
    expect(await isNoted()).toBe(1);
    const { id } = await subscribing;
    vi.advanceTimersByTime(KNOWN_MS + 1);
    later += 61_000;
    await noteSalesOnHold(service);
    later += 31 * DAY_MS;
    await recordApprovals(service);
    const { data } = await fetchEvents(service, accountId, id, []);
    expect(data.map(({ body }) => JSON.parse(body).data.id).sort()).toEqual([onHold, late].sort());
    expect(await isNoted()).toBe(0);
  });
});
