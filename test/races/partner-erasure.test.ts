import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { payoutFileInput } from '../../src/payouts/file-schemas.ts';
import { makePayoutFile, readPayoutFile } from '../../src/payouts/files.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { payoutsOf, runPayouts, sell } from '../helpers/earning.ts';
import { createReferrer } from '../helpers/story.ts';
import { whileHeld } from '../helpers/while-held.ts';

/** SQLite runs one unit after the other. */
const CONCURRENT = engines.filter((engine) => engine === 'postgres');

describe.each(CONCURRENT)("a partner's erasure while a payout file is made, on %s", (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
    await app.call('PATCH', `/api/programs/${app.programId}`, { body: { holdDays: 0 } });
  });
  afterAll(() => app.close());

  it('leaves no account in a payout file', async () => {
    const partner = await createReferrer(app);
    const { partnerId } = partner;
    const body = { rail: 'paypal', email: 'ana@example.com' };
    await app.call('PUT', `/api/partners/${partnerId}/payout-details`, { body });
    await sell(app, partner);
    await runPayouts(app);
    const [{ id }] = await payoutsOf(app, partnerId, 'processing');
    const input = parseInput(payoutFileInput, { rail: 'paypal', payoutIds: [id] });
    const { service, accountId } = app;
    const [file, statuses] = await whileHeld(
      service,
      /FROM payout_file_rows r CROSS JOIN payouts/,
      (held) => makePayoutFile(held, accountId, input, { kind: 'command_line' }),
      async () => {
        const paid = await app.call('POST', `/api/payouts/${id}/paid`);
        const erased = await app.call('DELETE', `/api/partners/${partnerId}/personal-data`);
        return [paid.status, erased.status];
      },
    );
    expect(statuses).toEqual([200, 204]);
    await expect(readPayoutFile(service, accountId, file.id)).rejects.toThrow('a partner in it was erased');
  });
});
