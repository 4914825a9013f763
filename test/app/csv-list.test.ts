import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { sell } from '../helpers/earning.ts';
import { createReferrer, type Referrer } from '../helpers/story.ts';

const ADJUSTMENTS = 501;
/** At once: on PostgreSQL, they wait for each other, and on a busy machine too many would give up. */
const AT_ONCE = 10;

describe.each(engines)('a list as a CSV file on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  beforeAll(async () => {
    app = await createTestApp(engine);
    referrer = await createReferrer(app, { name: '=cmd()', email: 'ada@example.com' });
    await sell(app, referrer, { amount: 9_995 });
    const other = await createReferrer(app, { name: 'Bo', email: 'bo@example.com' });
    await sell(app, other, { amount: 500 });
  });
  afterAll(() => app.close());

  const linesOf = async (path: string): Promise<string[]> => {
    const { status, headers, text } = await app.call('GET', path);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('text/csv');
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="\w+\.csv"$/);
    expect(text.endsWith('\r\n')).toBe(true);
    return text.split('\r\n').slice(0, -1);
  };

  it('has the rows that match the filters, amounts as decimals, and no formula', async () => {
    const [heading = '', ...rows] = await linesOf(`/api/sales?format=csv&partnerId=${referrer.partnerId}`);
    const cells = Object.fromEntries(heading.split(',').map((name, index) => [name, rows[0]?.split(',')[index]]));
    expect(rows).toHaveLength(1);
    expect(cells).toMatchObject({ amount: '99.95', currency: 'USD', partner_name: `"'=cmd()"`, commission: '19.99' });
    expect(await linesOf('/api/partners?format=csv&search=bo')).toEqual([
      'partner_id,created_at,program_id,name,email,tenant_id,discount_codes,status',
      expect.stringMatching(/^ptr_\w+,[^,]+,prg_\w+,Bo,bo@example\.com,,,active$/),
    ]);
    expect(await linesOf('/api/payouts?format=csv')).toHaveLength(3);
    expect(await linesOf('/api/deliveries?format=csv&status=dead')).toHaveLength(1);
  });

  it('has every page, and negative amounts as numbers', async () => {
    for (let n = 0; n < ADJUSTMENTS; n += AT_ONCE) {
      const bodies = Array.from({ length: Math.min(AT_ONCE, ADJUSTMENTS - n) }, () => ({
        partnerId: referrer.partnerId,
        amount: -125,
        currency: 'eur',
        reason: '@mistake, "twice"',
      }));
      const answers = await Promise.all(bodies.map((body) => app.call('POST', '/api/adjustments', { body })));
      expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 201));
    }
    const rows = await linesOf('/api/ledger?format=csv&kind=adjustment&limit=1');
    expect(rows).toHaveLength(ADJUSTMENTS + 1);
    expect(new Set(rows.map((row) => row.split(',')[0])).size).toBe(ADJUSTMENTS + 1);
    expect(rows.slice(1).every((row) => row.includes(`,adjustment,EUR,-1.25,"'@mistake, ""twice""",`))).toBe(true);
  });

  it('is read no further than its first page when only its headers are requested', async () => {
    const read = vi.spyOn(app.service.database, 'report');
    const path = '/api/ledger?format=csv&kind=adjustment';
    const { status, headers, text } = await app.call('HEAD', path);
    const count = read.mock.calls.length;
    read.mockRestore();
    expect([status, text, count]).toEqual([200, '', 1]);
    const whole = await app.call('GET', path);
    for (const name of ['content-type', 'content-disposition', 'cache-control']) {
      expect(headers.get(name), name).toBe(whole.headers.get(name));
    }
    expect(whole.text.split('\r\n')).toHaveLength(ADJUSTMENTS + 2);
  });

  it('is refused like the list itself', async () => {
    expect((await app.call('GET', '/api/sales?format=csv&status=lost')).body.error.details[0].path).toBe('status');
    expect((await app.call('GET', '/api/sales?format=xml')).body.error.details[0].path).toBe('format');
    expect((await app.call('GET', '/api/sales?format=csv', { key: null })).status).toBe(401);
  });
});
