import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dubPartnerInput } from '../../src/compat/dub/partner-schemas.ts';
import { createDubPartner } from '../../src/compat/dub/partners.ts';
import { payoutFileInput } from '../../src/payouts/file-schemas.ts';
import { makePayoutFile, readPayoutFile } from '../../src/payouts/files.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { beforeUnits } from '../helpers/before-units.ts';
import { engines } from '../helpers/databases.ts';
import { payoutsOf, runPayouts, sell } from '../helpers/earning.ts';
import { createReferrer, unique } from '../helpers/story.ts';
import { whileHeld } from '../helpers/while-held.ts';
import { placesOf } from '../privacy/places-of.ts';

describe.each(engines)("a partner's erasure, on %s", (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
    await app.call('PATCH', `/api/programs/${app.programId}`, { body: { holdDays: 0 } });
  });
  afterAll(() => app.close());

  it('leaves no name, even if the name of whoever has their address is just being stored', async () => {
    const [name, email] = [unique('Name'), `${unique('pia')}@example.com`];
    const { partnerId } = await createReferrer(app, { email });
    const service = beforeUnits(app.service, async () => {
      expect((await app.call('DELETE', `/api/partners/${partnerId}/personal-data`)).status).toBe(204);
    });
    const enrolling = createDubPartner(service, app.accountId, parseInput(dubPartnerInput, { name, email }));
    await expect(enrolling).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await placesOf(app.service.database, name)).toEqual([]);
  });

  // SQLite runs one unit after the other
  it.each(engine === 'sqlite' ? [] : [engine])(
    'leaves no account in a payout file that is just being made',
    async () => {
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
        /COUNT.* FROM payout_file_rows r/,
        (held) => makePayoutFile(held, accountId, input, { kind: 'command_line' }),
        async () => {
          const paid = await app.call('POST', `/api/payouts/${id}/paid`);
          const erased = await app.call('DELETE', `/api/partners/${partnerId}/personal-data`);
          return [paid.status, erased.status];
        },
      );
      expect(statuses).toEqual([200, 204]);
      await expect(readPayoutFile(service, accountId, file.id)).rejects.toThrow('a partner in it was erased');
    },
  );
});
