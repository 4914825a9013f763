import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EventSender, startEventSender } from '../../src/events/sender.ts';
import { recordApprovals } from '../../src/payments/approved.ts';
import { type Answer, type AppOfMany, createAppOfMany } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { EventMirror } from '../helpers/event-mirror.ts';
import { createEventReceiver, type EventReceiver, type ReceivedEvent } from '../helpers/event-receiver.ts';
import { listAll } from '../helpers/list-all.ts';
import { differencesFrom } from '../helpers/mirror-differences.ts';
import { ProgramHistory } from '../helpers/program-history.ts';
import { programHistories } from '../helpers/program-steps.ts';
import { rounds } from '../helpers/rounds.ts';
import { untrueSaleEvents } from '../helpers/untrue-events.ts';

const MINUTE_MS = 60_000;
/** Each ends with an attempt that succeeds or fails. */
const ROUNDS_MAX = 200;
const RUNS = { sqlite: rounds(40), postgres: rounds(20) };

describe.each(engines)('events on %s', (engine) => {
  let many: AppOfMany;
  let receiver: EventReceiver;
  let sender: EventSender | null = null;
  const clock = { now: Date.now() };
  beforeAll(async () => {
    receiver = await createEventReceiver();
    receiver.answer = failSome();
    many = await createAppOfMany(engine, { service: { clock: () => clock.now } });
  });
  afterAll(async () => {
    await sender?.stop();
    await many.close();
    await receiver.close();
  });

  /** Until no event waits for another attempt. */
  async function sendAll(events: EventSender, getWaiting: () => Promise<Answer>): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      await events.sendDue();
      if ((await getWaiting()).body.data.length === 0) return;
      clock.now += 6 * MINUTE_MS;
    }
    throw new Error('Events are still waiting');
  }

  it(`are enough to keep a copy of all money, in ${RUNS[engine]} histories`, async () => {
    const property = fc.asyncProperty(programHistories, async ({ selfReferral, moments }) => {
      const app = await many.addApp();
      const get = (path: string) => app.call('GET', path);
      sender ??= startEventSender(app.service, { pollMs: 1e9 });
      receiver.clear();
      const endpoint = await app.call('POST', '/api/event-endpoints', { body: { url: receiver.url } });
      const program = await ProgramHistory.begin(app, clock, selfReferral);
      for (const steps of moments) await Promise.all(steps.map((step) => program.tell(step)));
      while ((await recordApprovals(app.service)) > 0);
      await sendAll(sender, () => get(`/api/events?endpointId=${endpoint.body.id}&status=waiting`));
      const { received } = receiver;
      for (const events of [received, mixed(received)]) {
        const mirror = new EventMirror(endpoint.body.secret);
        for (const event of events) mirror.receive(event);
        expect(await differencesFrom(mirror, app)).toEqual([]);
      }
      expect(untrueSaleEvents(received)).toEqual([]);
      const listed = await listAll<{ id: string }>(app, '/api/events');
      expect(receiver.ids().sort()).toEqual(listed.map(({ id }) => id).sort());
      // later histories are heard by nobody else
      await app.call('DELETE', `/api/event-endpoints/${endpoint.body.id}`);
    });
    await fc.assert(property, { numRuns: RUNS[engine], endOnFailure: true });
  });
});

/** Refuses one in four events when it comes first, in several ways. */
function failSome(): EventReceiver['answer'] {
  const refused = new Set<string>();
  const statuses = [302, 429, 500];
  return ({ headers }, response) => {
    const id = `${headers['webhook-id']}`;
    const isRefused = /[0-3]$/.test(id) && !refused.has(id);
    if (isRefused) refused.add(id);
    response.writeHead(isRefused ? (statuses[refused.size % statuses.length] ?? 500) : 204, { location: '/elsewhere' });
    response.end();
  };
}

/** As they may arrive from a receiver that failed for a while: out of order, and some of them twice. */
function mixed(received: readonly ReceivedEvent[]): ReceivedEvent[] {
  const signature = ({ headers }: ReceivedEvent) => headers['webhook-signature'] ?? '';
  return [...received, ...received.slice(0, 5)].toSorted((one, other) => (signature(one) < signature(other) ? 1 : -1));
}
