import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { expectError } from '../helpers/expect-error.ts';

describe.each(engines)('the period of events that are sent again, on %s', (engine) => {
  let app: TestApp;
  let path: string;
  beforeAll(async () => {
    app = await createTestApp(engine);
    const body = { url: 'https://hooks.example.com/', types: ['sale.created'] };
    const { id } = (await app.call('POST', '/api/event-endpoints', { body })).body;
    path = `/api/event-endpoints/${id}/resend`;
  });
  afterAll(() => app.close());

  it.each([
    ['that ends before it starts', { since: '2026-11-02', until: '2026-11-01' }, 'until: must be after since'],
    ['without a length', { since: '2026-11-02', until: '2026-11-02' }, 'until: must be after since'],
    ['that has not started yet', { since: '9999-01-01' }, 'since: must be in the past'],
  ])('is refused by the names of its members: one %s', async (_, body, message) => {
    const answer = await app.call('POST', path, { body });
    expectError(answer, 400, 'VALIDATION_ERROR');
    expect(answer.body.error.message).toBe(message);
  });
});
