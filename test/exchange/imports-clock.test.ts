import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createService } from '../../src/app/service.ts';
import { type ImportRunner, startImportRunner } from '../../src/exchange/jobs/runner.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createReferrer, unique } from '../helpers/story.ts';
import { sendFile, waitForImport } from './server-import.ts';

const HOUR = 3_600_000;
const LEASE = 15_000;

describe.each(engines)('an import after the clock was an hour ahead for a moment, on %s', (engine) => {
  let app: TestApp;
  let runner: ImportRunner;
  let partnerId: string;
  let now = Date.now();
  let passedMs = 0;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => now } });
    partnerId = (await createReferrer(app)).partnerId;
  });
  afterEach(() => runner.stop());
  afterAll(() => app.close());

  /** How often the runner has looked at the leases that there are. */
  let lookCount = 0;
  const stopwatch = () => {
    lookCount += 1;
    return passedMs;
  };
  const start = () => {
    runner = startImportRunner(createService(app.service), { pollMs: 5, stopwatch });
  };
  /** Settles when the runner has noticed what there is now: a look that has begun before may not have. */
  const polls = () => expect.poll(() => lookCount).toBeGreaterThan(lookCount + 1);
  const send = () =>
    sendFile(app.call, { kind: 'customers', text: `externalId,partner\n${unique('user')},${partnerId}\n` });
  const statusOf = async (id: string) => (await app.call('GET', `/api/imports/${id}`)).body.status;
  /** As a process leaves it that runs the import while its clock is ahead. */
  const lease = (id: string, leasedUntil: number) =>
    app.service.database.write((tx) =>
      tx.run("UPDATE imports SET status = 'running', leased_by = 'other', leased_until = @leasedUntil WHERE id = @id", {
        id,
        leasedUntil,
      }),
    );

  it('that was sent then begins within seconds', async () => {
    now += HOUR;
    const id = await send();
    now -= HOUR;
    start();
    await polls();
    expect(await statusOf(id)).toBe('waiting');
    passedMs += LEASE;
    expect(await waitForImport(app.call, id)).toMatchObject({ status: 'completed' });
  });

  it('that was killed then is begun again within seconds', async () => {
    now += HOUR;
    const id = await send();
    await lease(id, now + LEASE);
    now -= HOUR;
    start();
    await polls();
    // on SQLite, at once
    if (engine === 'postgres') expect(await statusOf(id)).toBe('running');
    passedMs += LEASE;
    expect(await waitForImport(app.call, id)).toMatchObject({ status: 'completed' });
  });

  it('that was sent then and killed later is begun again when its lease ends', async () => {
    now += HOUR;
    const id = await send();
    now -= HOUR;
    await lease(id, now - 1);
    start();
    expect(await waitForImport(app.call, id)).toMatchObject({ status: 'completed' });
  });

  it('ends soon when its file had stopped arriving', async () => {
    const settings = { kind: 'customers', fileBytes: 10 };
    const { id } = (await app.call('POST', '/api/imports', { body: { source: 'csv', settings } })).body;
    now += HOUR / 2;
    start();
    await polls();
    expect(await statusOf(id)).toBe('uploading');
    await app.service.database.write((tx) =>
      tx.run('UPDATE imports SET changed_at = @long WHERE id = @id', { long: now - 2 * HOUR, id }),
    );
    now -= HOUR / 2;
    expect(await waitForImport(app.call, id)).toMatchObject({ status: 'failed' });
  });

  if (engine === 'postgres') {
    it('stays with a process whose clock is still ahead and that renews its lease', async () => {
      const id = await send();
      await lease(id, now + HOUR);
      start();
      for (let renewed = 1; renewed <= 4; renewed += 1) {
        await polls();
        await lease(id, now + HOUR + renewed);
        passedMs += LEASE - 1;
      }
      await polls();
      expect(await statusOf(id)).toBe('running');
      passedMs += LEASE;
      expect(await waitForImport(app.call, id)).toMatchObject({ status: 'completed' });
    });
  }
});
