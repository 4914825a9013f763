import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Fact } from '../../src/core/facts.ts';
import { DAY_MS } from '../../src/core/time.ts';
import { type AppOfMany, createAppOfMany, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, hints, identified, received } from '../helpers/facts.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { createReferrer, type Referrer } from '../helpers/story.ts';

const BEGIN = Date.UTC(2026, 0, 1);
const MIA = hints({ externalId: 'mia', processorCustomerId: 'cus_1' });

describe.each(engines)('to the millisecond, on %s', (engine) => {
  let shared: AppOfMany;
  let app: TestApp;
  let now = BEGIN;
  let referrer: Referrer;
  beforeAll(async () => {
    shared = await createAppOfMany(engine, { service: { clock: () => now } });
  });
  afterAll(() => shared.close());
  beforeEach(async () => {
    now = BEGIN;
    app = await shared.addApp();
    referrer = await createReferrer(app);
  });
  afterEach(() => requireAgreement(app.service, app.accountId));

  const tell = (fact: Fact) => applyFacts(app.service, app.accountId, fact);
  const paidAt = (occurredAt: number, invoice = 'in_1') => tell(received([invoice], MIA, { occurredAt }));
  const post = async (path: string, body: object, status = 200) => {
    const answer = await app.call('POST', path, { body });
    expect([path, answer.status, answer.text]).toEqual([path, status, answer.text]);
    return answer.body;
  };
  const earned = async () =>
    (await app.call('GET', '/api/sales')).body.data.map((sale: Record<string, unknown>) => sale.commissionAmount);

  it.each([
    ['partners', -1, 2_000],
    ['partners', 0, 0],
    ['partners', 1, 0],
    ['programs', -1, 2_000],
    ['programs', 0, 0],
    ['programs', 1, 0],
  ] as const)(
    'what is archived (%s) earns nothing from then on: a payment %i ms later earns %i',
    async (kind, laterMs, commission) => {
      await referrer.lead('mia');
      now += DAY_MS;
      await post(`/api/${kind}/${kind === 'partners' ? referrer.partnerId : app.programId}/archive`, {});
      const archivedAt = now;
      // whenever it is reported
      now += DAY_MS;
      await paidAt(archivedAt + laterMs);
      expect(await earned()).toEqual([commission]);
    },
  );

  it.each([
    [1, '2026-01-31T10:00:00Z', '2026-02-28T10:00:00Z'],
    [12, '2028-02-29T00:00:00Z', '2029-02-28T00:00:00Z'],
    [1, '2026-12-31T23:59:59.999Z', '2027-01-31T23:59:59.999Z'],
  ])('%i months of commission after %s end at %s', async (durationMonths, first, end) => {
    await app.call('PATCH', `/api/programs/${app.programId}`, { body: { durationMonths } });
    await referrer.lead('mia');
    now = Date.parse(end) + DAY_MS;
    await paidAt(Date.parse(first), 'in_first');
    await paidAt(Date.parse(end) + 1, 'in_after');
    await paidAt(Date.parse(end), 'in_at');
    await paidAt(Date.parse(end) - 1, 'in_before');
    expect(await earned()).toEqual([2_000, 0, 0, 2_000]);
  });

  const KNOWN = {
    'its lead': () => referrer.lead('mia'),
    'a sale with a click that names them': async () =>
      post('/api/track/sale', { clickId: await referrer.click(), customerExternalId: 'mia', amount: 100 }),
    'a report that says who it is': async () => {
      await referrer.lead('noor');
      await tell(identified(hints({ externalId: 'noor', processorCustomerId: 'cus_2' })));
    },
  };

  it.each(Object.keys(KNOWN).flatMap((what) => [[what, -1, 'counts'] as const, [what, 0, 'stays parked'] as const]))(
    'a parked payment waits 90 days for %s, %i ms later: %s',
    async (what, laterMs, result) => {
      const counts = result === 'counts';
      const customer = what === 'a report that says who it is' ? hints({ processorCustomerId: 'cus_2' }) : MIA;
      expect(await tell(received(['in_1'], customer))).toMatchObject({ outcome: 'unattributed' });
      now += 90 * DAY_MS;
      const [{ expiresAt }] = (await app.call('GET', '/api/parked-payments')).body.data;
      expect(Date.parse(expiresAt)).toBe(now);
      now += laterMs;
      await KNOWN[what as keyof typeof KNOWN]();
      expect((await app.call('GET', '/api/sales?invoiceId=in_1')).body.data).toHaveLength(counts ? 1 : 0);
      expect((await app.call('GET', '/api/parked-payments')).body.data).toHaveLength(counts ? 0 : 1);
    },
  );
});
