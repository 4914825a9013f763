import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';

describe('an unknown member of a request', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp('sqlite');
  });
  afterAll(() => app.close());

  const stored = async () => [
    (await app.call('GET', '/api/programs')).body,
    (await app.call('GET', '/api/partners')).body,
    (await app.call('GET', '/api/api-keys')).body.data.length,
  ];

  it.each([
    ['POST', '/api/programs', { name: 'Friends', holdDay: 7 }, 'holdDay', 'did you mean holdDays?'],
    [
      'POST',
      '/api/programs',
      { name: 'Friends', commission: { type: 'percentage', rateBasisPoints: 2000, rateBasisPoint: 3000 } },
      'commission.rateBasisPoint',
      'did you mean rateBasisPoints?',
    ],
    [
      'POST',
      '/api/programs',
      { name: 'Friends', portal: { theme: { shadcnTheme: { lihgt: {} } } } },
      'portal.theme.shadcnTheme.lihgt',
      'did you mean light?',
    ],
    [
      'PATCH',
      '/api/programs/:program',
      { minimumPayouts: { usd: 1 } },
      'minimumPayouts',
      'did you mean minimumPayout?',
    ],
    ['PATCH', '/api/programs/:program', { portal: { showStat: null } }, 'portal.showStat', 'did you mean showStats?'],
    [
      'POST',
      '/api/partners',
      { name: 'Ada', email: 'ada@example.com', tenantID: 'a' },
      'tenantID',
      'did you mean tenantId?',
    ],
    [
      'POST',
      '/api/embed/token',
      { partner: { email: 'ada@example.com', nmae: 'Ada' } },
      'partner.nmae',
      'did you mean name?',
    ],
    [
      'POST',
      '/api/api-keys',
      { name: 'Backend', ratelimit: 5 },
      'ratelimit',
      'known are name, rateLimitPerMinute, scope',
    ],
    ['GET', '/api/partners?limits=5', undefined, 'limits', 'did you mean limit?'],
    ['GET', '/api/programs/:program?verbose=1', undefined, 'verbose', 'nothing is expected here'],
  ])('is refused by %s %s: %j', async (method, path, body, member, hint) => {
    const before = await stored();
    const answer = await app.call(method, path.replace(':program', app.programId), body === undefined ? {} : { body });
    const message = `is not known; ${hint}`;
    expect(answer).toMatchObject({
      status: 400,
      body: {
        error: {
          code: 'VALIDATION_ERROR',
          message: `${member}: ${message}`,
          details: [{ path: member, message }],
        },
      },
    });
    expect(await stored()).toEqual(before);
  });

  it('is reported with every other problem', async () => {
    const body = { nmae: 'Friends', holdDays: -1 };
    const { body: answer } = await app.call('POST', '/api/programs', { body });
    expect(answer.error.details.map(({ path }: { path: string }) => path).toSorted()).toEqual([
      'holdDays',
      'name',
      'nmae',
    ]);
  });

  it('is ignored when a page requests its portal', async () => {
    const body = { partner: { email: 'ada@example.com' } };
    const key = (await app.call('POST', '/api/embed/token', { body })).body.publicToken;
    expect((await app.call('GET', '/api/embed/referrals/portal-config?_=1', { key })).status).toBe(200);
  });
});
