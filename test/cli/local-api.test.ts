import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createLocalApi } from '../../src/cli/api/local-api.ts';
import { describeFailure } from '../../src/cli/terminal/failure.ts';
import { unavailable } from '../../src/errors.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';

describe('a local database that fails', () => {
  let app: TestApp;
  let endpointId: string;
  beforeAll(async () => {
    const events = { allowedHosts: new Set(['127.0.0.1']), retentionDays: 30 };
    app = await createTestApp('sqlite', { service: { events } });
    const body = { url: 'http://127.0.0.1:9/', types: ['lead.created'] };
    endpointId = (await app.call('POST', '/api/event-endpoints', { body })).body.id;
  });
  afterAll(() => app.close());
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const lost = () => unavailable('The connection to the database was lost');

  /** What a command prints that stores a test event, and reads afterwards what became of it. */
  async function failureOf(when: 'before' | 'after'): Promise<string> {
    const { database } = app.service;
    const { write, read, report } = database;
    let isLost = when === 'before';
    vi.spyOn(database, 'write').mockImplementation(async (unit, options) => {
      if (isLost) throw lost();
      const result = await write(unit, options);
      isLost = true;
      return result;
    });
    vi.spyOn(database, 'read').mockImplementation((unit) => (isLost ? Promise.reject(lost()) : read(unit)));
    vi.spyOn(database, 'report').mockImplementation((unit, options) =>
      isLost ? Promise.reject(lost()) : report(unit, options),
    );
    const api = createLocalApi(app.service, app.accountId);
    const input = { parameters: { id: endpointId } };
    const { text, exitCode } = describeFailure(
      await api.call('testEventEndpoint', input).catch((error: unknown) => error),
    );
    expect(exitCode).toBe(3);
    return text;
  }

  it('after a command has stored its change does not make it say that nothing was recorded', async () => {
    expect(await failureOf('after')).toMatch(/this request, or a part of it, was recorded\. Check before/);
  });

  it('during the work that follows a change does not either', async () => {
    for (const method of ['write', 'read', 'report'] as const) {
      vi.spyOn(app.service.database, method).mockImplementation(() => Promise.reject(lost()));
    }
    const api = createLocalApi(app.service, app.accountId);
    for (const work of ['settle', 'erase', 'erase-from-events'] as const) {
      await expect(api.finish(work)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    }
  });

  it('before makes it say that nothing was recorded', async () => {
    expect(await failureOf('before')).toContain('Nothing was recorded; try again');
  });
});
