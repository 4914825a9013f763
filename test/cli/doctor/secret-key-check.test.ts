import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { secretKeyChecks } from '../../../src/cli/doctor/secret-key-check.ts';
import { readConfig } from '../../../src/process/config.ts';
import { createSealer } from '../../../src/process/sealer.ts';
import { createTestApp, type TestApp } from '../../helpers/app.ts';
import { engines } from '../../helpers/databases.ts';
import { TEST_SECRET_KEY } from '../../helpers/secret-key.ts';
import { createTestService } from '../../helpers/service.ts';
import { createReferrer } from '../../helpers/story.ts';

const OTHER_KEY = Buffer.alloc(32, 9);

describe.each(engines)('what doctor says about the key on %s, if only payout details are encrypted', (engine) => {
  let app: TestApp;
  let partnerId: string;
  beforeAll(async () => {
    app = await createTestApp(engine);
    ({ partnerId } = await createReferrer(app));
    const body = { rail: 'paypal', email: 'ana.pays@example.com' };
    const { status, text } = await app.call('PUT', `/api/partners/${partnerId}/payout-details`, { body });
    expect(status, text).toBe(200);
  });
  afterAll(() => app.close());

  const checksWith = (key: Buffer, ...fallbacks: Buffer[]) =>
    secretKeyChecks(
      createTestService({ database: app.service.database, sealer: createSealer(key, fallbacks) }),
      readConfig({ SECRET_KEY_FALLBACKS: fallbacks.map((fallback) => fallback.toString('hex')).join() }),
    );

  it('is nothing while the key opens them', async () => {
    expect(await checksWith(TEST_SECRET_KEY)).toEqual([]);
  });

  it.each([
    ['the key is not', []],
    ['neither the key nor a fallback is', [Buffer.alloc(32, 5)]],
  ])('is that they are lost when %s the one that encrypted them', async (_, fallbacks) => {
    expect(await checksWith(OTHER_KEY, ...fallbacks)).toEqual([
      {
        check: 'secret key',
        status: 'failed',
        message: expect.stringContaining(partnerId),
        advice: expect.stringContaining('to SECRET_KEY_FALLBACKS'),
      },
    ]);
  });

  it('is whether a fallback is needed, which other servers may not know yet', async () => {
    expect(await checksWith(OTHER_KEY, TEST_SECRET_KEY)).toMatchObject([
      { status: 'warning', message: expect.stringMatching(/^1 .* with a key of SECRET_KEY_FALLBACKS$/) },
    ]);
    expect(await checksWith(TEST_SECRET_KEY, OTHER_KEY)).toMatchObject([
      { status: 'warning', advice: expect.stringMatching(/^Once every server has the new SECRET_KEY/) },
    ]);
  });
});
