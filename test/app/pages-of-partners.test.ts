import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { sell } from '../helpers/earning.ts';
import { createReferrer, unique } from '../helpers/story.ts';

/** What holds the tenant's rows, and the filters by which the lists of its rows are searched. */
const LISTS = [
  ['sales', ''],
  ['sales', '&status=pending'],
  ['sales', '&status=refunded'],
  ['sales', '&customerExternalId=user_shared'],
  ['sales', '&search=user_shared'],
  ['sales', `&from=${new Date(Date.now() - 86_400_000).toISOString()}`],
  ['leads', ''],
  ['leads', '&customerExternalId=user_shared'],
  ['leads', '&search=user_shared'],
  ['ledger', ''],
  ['ledger', '&kind=reversal'],
  ['payouts', ''],
  ['payouts', '&status=queued'],
  ['links', ''],
] as const;

describe.each(engines)('a list of the rows of several partners, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
    const second = (await app.call('POST', '/api/programs', { body: { name: 'Second' } })).body.id;
    for (const programId of [app.programId, second]) {
      const referrer = await createReferrer(app, { programId, tenantId: 'shared' });
      await referrer.lead('user_shared', { eventName: `Sign up ${programId}` });
      const customer = { customerExternalId: 'user_shared', clickId: await referrer.click() };
      await sell(app, referrer, customer);
      const refunded = await sell(app, referrer, { ...customer, invoiceId: unique('in') });
      const body = { refundId: unique('refund'), amount: 10_000 };
      await app.call('POST', `/api/sales/${refunded}/refunds`, { body });
    }
    // as if their units had taken a time, waited for a lock, and made an id afterwards: the oldest time has the newest id
    for (const table of ['sales', 'leads', 'ledger_entries', 'payouts', 'links']) {
      await app.service.database.write(async (tx) => {
        const rows = await tx.all<{ id: string }>(`SELECT id FROM ${table} ORDER BY id`);
        for (const [place, { id }] of rows.entries()) {
          await tx.run(`UPDATE ${table} SET created_at = created_at - @lateMs WHERE id = @id`, {
            id,
            lateMs: place * 10_000,
          });
        }
      });
    }
  });
  afterAll(() => app.close());

  it.each(LISTS)('%s%s: shows each row once, whatever the size of a page', async (list, filters) => {
    const get = async (page: string) =>
      (await app.call('GET', `/api/${list}?tenantId=shared${filters}${page}`)).body as {
        data: { id: string; partnerId: string }[];
        nextCursor: string | null;
      };
    const { data: all } = await get('&limit=100');
    expect(new Set(all.map(({ partnerId }) => partnerId)).size).toBe(2);
    const shown: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { data, nextCursor } = await get(`&limit=1${cursor && `&cursor=${cursor}`}`);
      shown.push(...data.map(({ id }) => id));
      cursor = nextCursor;
    }
    expect(shown).toEqual(all.map(({ id }) => id));
  });
});
