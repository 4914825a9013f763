import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { createReferrer } from '../helpers/story.ts';

const HOUR_MS = 3_600_000;

let app: TestApp;
let now = Date.parse('2026-11-20T12:00:00Z');
beforeAll(async () => {
  app = await createTestApp('sqlite', { service: { clock: () => now } });
});
afterAll(() => app.close());

it('the terms say since when payments earn nothing: since the partner or the program was archived, whichever was first', async () => {
  const { partnerId } = await createReferrer(app);
  const token = (await app.call('POST', '/api/embed/token', { body: { enrollmentId: partnerId, expiresIn: 86_400 } }))
    .body;
  const archivedAt = async () =>
    (await app.call('GET', '/api/embed/referrals/terms', { key: token.publicToken })).body.archivedAt;
  const change = async (path: string) => {
    now += HOUR_MS;
    expect((await app.call('POST', `/api/${path}`, { body: {} })).status).toBe(200);
  };
  expect(await archivedAt()).toBeNull();
  await change(`programs/${app.programId}/archive`);
  expect(await archivedAt()).toBe('2026-11-20T13:00:00.000Z');
  await change(`partners/${partnerId}/archive`);
  expect(await archivedAt()).toBe('2026-11-20T13:00:00.000Z');
  await change(`programs/${app.programId}/unarchive`);
  expect(await archivedAt()).toBe('2026-11-20T14:00:00.000Z');
  await change(`partners/${partnerId}/unarchive`);
  expect(await archivedAt()).toBeNull();
});
