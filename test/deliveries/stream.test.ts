import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { EventStream } from '../../src/inbox/event-stream.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createOperator } from '../helpers/operators.ts';
import { createEndpoint, unique } from '../helpers/story.ts';
import { checkoutCompleted } from '../helpers/stripe-payloads.ts';

interface Event {
  id: string;
  event: string;
  data: Record<string, unknown>;
}

interface Follower {
  status: number;
  headers: Headers;
  events: Event[];
  hasEnded(): boolean;
  stop(): void;
}

describe.each(engines)('GET /api/deliveries/stream on %s', (engine) => {
  let app: TestApp;
  let stripe: Awaited<ReturnType<typeof createEndpoint>>;
  const followers: Follower[] = [];
  beforeAll(async () => {
    app = await createTestApp(engine, { trustProxy: 1 });
    stripe = await createEndpoint(app, 'stripe');
  });
  afterEach(async () => {
    for (const follower of followers.splice(0)) follower.stop();
    app.lifecycle.draining = false;
  });
  afterAll(() => app.close());

  /** Follows the stream; settles once it is connected, or refused. */
  async function follow(headers: Record<string, string> = {}, key: string | null = app.apiKey): Promise<Follower> {
    const abort = new AbortController();
    const response = await fetch(`${app.url}/api/deliveries/stream`, {
      headers: { ...(key && { authorization: `Bearer ${key}` }), ...headers },
      signal: abort.signal,
    });
    let text = '';
    let hasEnded = false;
    const connected = Promise.withResolvers<void>();
    const read = async () => {
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += chunk;
        if (text.includes(': connected')) connected.resolve();
      }
    };
    void read()
      .catch(() => {})
      .finally(() => {
        hasEnded = true;
        connected.reject(new Error(`The stream ended: ${text}`));
      });
    const follower = {
      status: response.status,
      headers: response.headers,
      get events() {
        const blocks = text.split('\n\n').filter((block) => block.startsWith('event:'));
        return blocks.map((block): Event => {
          const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)));
          return { id: fields.id, event: fields.event, data: JSON.parse(fields.data) };
        });
      },
      hasEnded: () => hasEnded,
      stop: () => abort.abort(),
    };
    followers.push(follower);
    if (response.status === 200) await connected.promise;
    else connected.promise.catch(() => {});
    return follower;
  }

  const deliver = async () => {
    await stripe.deliver(checkoutCompleted({ externalId: unique('user') }));
    return (await app.call('GET', '/api/deliveries?limit=1')).body.data[0];
  };
  const idsOf = ({ events }: Follower) => events.map(({ id }) => id);

  it('sends each new delivery once to every follower, as the list shows it', async () => {
    await deliver();
    const [first, second] = [await follow(), await follow()];
    expect(first.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(first.headers.get('cache-control')).toContain('no-store');
    const delivery = await deliver();
    await expect.poll(() => first.events).toEqual([{ id: delivery.id, event: 'delivery', data: delivery }]);
    await expect.poll(() => idsOf(second)).toEqual([delivery.id]);
    // later polls find the delivery again
    const next = await deliver();
    await expect.poll(() => idsOf(first)).toEqual([delivery.id, next.id]);
  });

  it('resumes after the last event that the follower has', async () => {
    const [last, missed, alsoMissed] = [await deliver(), await deliver(), await deliver()];
    const follower = await follow({ 'last-event-id': last.id });
    await expect.poll(() => idsOf(follower)).toEqual(expect.arrayContaining([missed.id, alsoMissed.id]));
    expect(idsOf(follower)).not.toContain(last.id);
    expect(idsOf(await follow({ 'last-event-id': 'nonsense' }))).toEqual([]);
  });

  it('goes on after the clock was ahead for a moment', async () => {
    vi.useFakeTimers({ now: Date.now() + 3_600_000, toFake: ['Date'] });
    const follower = await follow();
    // longer than the time between two polls
    await sleep(1_200);
    vi.useRealTimers();
    const delivery = await deliver();
    await expect.poll(() => idsOf(follower)).toContain(delivery.id);
  });

  it('sends nothing to another account', async () => {
    const { apiKey } = await app.addAccount('Stranger Ltd');
    const [own, stranger] = [await follow(), await follow({}, apiKey)];
    const delivery = await deliver();
    await expect.poll(() => idsOf(own)).toEqual([delivery.id]);
    expect(stranger.events).toEqual([]);
  });

  it('refuses the 21st stream of an account until one ends, and answers HEAD at once', async () => {
    const { apiKey } = await app.addAccount('Curious Ltd');
    const open = [];
    for (let count = 0; count < 20; count += 1) open.push(await follow({}, apiKey));
    const refused = await follow({}, apiKey);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30']);
    const head = await app.call('HEAD', '/api/deliveries/stream');
    expect([head.status, head.headers.get('content-length')]).toEqual([200, null]);
    open[0]?.stop();
    await expect.poll(async () => (await follow({}, apiKey)).status).toBe(200);
  });

  it('ends before the next delivery when its key is revoked or its session has ended', async () => {
    const { body: key } = await app.call('POST', '/api/api-keys', { body: { name: 'Revoked' } });
    const { cookie, call: callAsOperator } = await createOperator(app);
    const [byKey, bySession, other] = [await follow({}, key.key), await follow({ cookie }, null), await follow()];
    await app.call('DELETE', `/api/api-keys/${key.id}`);
    await callAsOperator('DELETE', '/api/session');
    const delivery = await deliver();
    await expect.poll(() => idsOf(other)).toEqual([delivery.id]);
    await expect.poll(() => [byKey.hasEnded(), bySession.hasEnded()]).toEqual([true, true]);
    expect([...byKey.events, ...bySession.events]).toEqual([]);
  });

  it('ends at once when the process is to stop', async () => {
    const follower = await follow();
    app.lifecycle.draining = true;
    await expect.poll(() => follower.hasEnded(), { timeout: 2_000 }).toBe(true);
  });
});

describe('a client that does not read', () => {
  it('is dropped when a thousand messages wait for it', async () => {
    let hasLeft = false;
    const stream = new EventStream(0, () => {
      hasLeft = true;
    });
    for (let count = 0; count < 1_000; count += 1) stream.send('x', 1);
    expect([stream.hasEnded, hasLeft]).toEqual([false, false]);
    stream.send('x', 2);
    expect([stream.hasEnded, hasLeft]).toEqual([true, true]);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  it('ends at once when it leaves, even while it waits for the next message', async () => {
    const stream = new EventStream(0, () => {});
    const next = stream.next();
    await Promise.race([stream.return(), sleep(5_000)]);
    expect(await next).toEqual({ done: true, value: undefined });
  });
});
