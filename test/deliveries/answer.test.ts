import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OUTCOMES, type Outcome } from '../../src/core/outcome.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { asId } from '../helpers/ids.ts';
import { createEndpoint, type EndpointUnderTest } from '../helpers/story.ts';

/** The log level by outcome; `debug` for every other outcome. */
const LEVELS: Partial<Record<Outcome, string>> = { failed: 'error', unknown: 'warn' };

describe('the answer to a webhook', () => {
  let app: TestApp;
  let stripe: EndpointUnderTest;
  let outcome: Outcome = 'sale';
  let reason = 'a reason';
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'debug', formatters: { level: (level) => ({ level }) } }, { write: keep });
  beforeAll(async () => {
    const storeDelivery = async () => ({ outcome, deliveryId: asId<'dlv'>('dlv_1'), reason });
    app = await createTestApp('sqlite', { log, service: { storeDelivery } });
    stripe = await createEndpoint(app, 'stripe');
  });
  afterAll(() => app.close());

  function keep(line: string): void {
    lines.push(JSON.parse(line));
  }

  it.each(OUTCOMES)('is 200 for %s, with one log line', async (given) => {
    outcome = given;
    lines.length = 0;
    const { status, body } = await stripe.deliver({ id: 'evt_1', object: 'event', type: 'invoice.paid' });
    expect([status, body]).toEqual([200, { received: true, outcome }]);
    const level = LEVELS[outcome] ?? 'debug';
    expect(lines.filter(({ deliveryId }) => deliveryId === 'dlv_1')).toMatchObject([
      { level, processor: 'stripe', reason: 'a reason' },
    ]);
  });

  it.each(OUTCOMES)('leaves e-mail addresses out of the log line of %s', async (given) => {
    outcome = given;
    reason = 'no partner found by external_id u1, email mara+x@example.com; parked';
    lines.length = 0;
    await stripe.deliver({ id: 'evt_1', object: 'event', type: 'invoice.paid' });
    expect(lines.find(({ deliveryId }) => deliveryId === 'dlv_1')?.reason).toBe(
      'no partner found by external_id u1, email (e-mail address); parked',
    );
  });
});
