import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS, isoDate } from '../../src/core/time.ts';
import { BLOCK_DAYS } from '../../src/storage/conditions/result-days.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { expectError } from '../helpers/expect-error.ts';
import { createReferrer, type Referrer } from '../helpers/story.ts';

const NOW = Date.parse('2026-11-11T12:00:00Z');
const TODAY = Math.floor(NOW / DAY_MS);
/** A block in which nothing was sold. */
const BLOCK = Math.floor(TODAY / BLOCK_DAYS - 1) * BLOCK_DAYS;

describe.each(engines)('a link whose sums are beyond 2^53, on %s', (engine) => {
  let app: TestApp;
  let rich: Referrer;
  let path: string;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => NOW } });
    rich = await createReferrer(app);
    path = `/api/links/${rich.linkId}`;
    const body = { clickId: await rich.click(), customerExternalId: 'user_1', amount: 1_000 };
    expect((await app.call('POST', '/api/track/sale', { body })).status).toBe(200);
    // as if thousands of sales had brought the maximum: each sum of the database is in range, their total is not
    const { partnerId, linkId } = rich;
    await app.service.database.write((tx) =>
      tx.run(
        `INSERT INTO result_days (owner_id, part, span, day, currency, clicks, leads, sales, revenue, commission)
         VALUES (@partnerId, @linkId, @span, @day, 'usd', 0, 0, 1, @revenue, 0)`,
        { partnerId, linkId, span: BLOCK_DAYS, day: BLOCK, revenue: Number.MAX_SAFE_INTEGER },
      ),
    );
  });
  afterAll(() => app.close());

  it.each([
    ['by itself', async () => app.call('GET', path)],
    ['by itself, for a period', async () => app.call('GET', `${path}?from=${day(BLOCK)}&to=${day(TODAY + 1)}`)],
    ['in a list', async () => app.call('GET', '/api/links')],
    ['in the portal', async () => app.call('GET', '/api/embed/referrals/links', { key: await embedToken() })],
  ])('is refused with a reason that its route declares: %s', async (_, read) => {
    const answer = await read();
    expectError(answer, 409, 'INVALID_STATE');
    expect(answer.body.error.message).toContain('add up to more than ±9,007,199,254,740,991 minor units');
  });

  it.each([
    ['changed', () => app.call('PATCH', path, { body: { url: 'https://other.example.com/' } })],
    ['archived', () => app.call('POST', `${path}/archive`)],
  ])('is not %s by a request that is refused', async (_, change) => {
    expectError(await change(), 409, 'INVALID_STATE');
    const { url, archivedAt } = (await app.call('GET', `${path}?from=${day(TODAY)}`)).body;
    expect([url, archivedAt]).toEqual(['https://shop.example.com/start?plan=pro#top', null]);
  });

  async function embedToken(): Promise<string> {
    const body = { enrollmentId: rich.partnerId };
    return (await app.call('POST', '/api/embed/token', { body })).body.publicToken;
  }
});

function day(number: number): string {
  return isoDate(number * DAY_MS);
}
