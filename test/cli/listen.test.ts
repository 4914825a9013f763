import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HeardEvent, listen } from '../../src/cli/listen/listen.ts';
import { databaseSource, type EventSource, ListenerEnded, serverSource } from '../../src/cli/listen/source.ts';
import { CommandError, EXIT } from '../../src/cli/terminal/exit-codes.ts';
import { EVENT_TYPES } from '../../src/core/event.ts';
import { createEventSecret } from '../../src/events/secrets.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { sell } from '../helpers/earning.ts';
import { createEventReceiver, type EventReceiver, verifyEvent } from '../helpers/event-receiver.ts';
import { serveFetch } from '../helpers/serve-fetch.ts';
import { createReferrer, type Referrer } from '../helpers/story.ts';

describe('refbridge listen', () => {
  let app: TestApp;
  let referrer: Referrer;
  let target: EventReceiver;
  let redirecting: Awaited<ReturnType<typeof serveFetch>>;
  const remote = (url = app.url) => ({ url, apiKey: app.apiKey, keyFrom: '--api-key' });
  beforeAll(async () => {
    redirecting = await serveFetch(() => Response.redirect('https://refer.example.com/', 308));
    app = await createTestApp('sqlite');
    referrer = await createReferrer(app);
    target = await createEventReceiver();
  });
  afterAll(async () => {
    await app.close();
    await target.close();
    await redirecting.close();
  });

  /** Listens while `work` runs. */
  async function whileListening(source: EventSource, work: (heard: HeardEvent[], secret: string) => Promise<void>) {
    const abort = new AbortController();
    const began = Promise.withResolvers<void>();
    const heard: HeardEvent[] = [];
    const notes: string[] = [];
    const secret = createEventSecret();
    const listening = listen({
      source: {
        ...source,
        async begin(types) {
          const id = await source.begin(types);
          began.resolve();
          return id;
        },
      },
      types: EVENT_TYPES.filter((type) => type === 'sale.created'),
      forwardTo: target.url,
      secret,
      signal: abort.signal,
      onEvent: (event) => heard.push(event),
      onNote: (text) => notes.push(text),
      pauseMs: 10,
    });
    await began.promise;
    await work(heard, secret);
    abort.abort();
    await listening;
    return notes;
  }

  it.each([
    ['a server', async () => serverSource(remote())],
    ['the database', () => databaseSource(app.service, app.accountId)],
  ])('shows and forwards the events of %s, signed with its own secret', async (_, sourceOf) => {
    target.clear();
    await whileListening(await sourceOf(), async (heard, secret) => {
      const sales = [await sell(app, referrer), await sell(app, referrer)];
      await target.arrived(2);
      for (const event of target.received) verifyEvent(secret, event);
      expect(target.received.map(({ event }) => event.data.id)).toEqual(sales);
      await expect.poll(() => heard.map(({ answer }) => answer?.status)).toEqual([204, 204]);
    });
  });

  it('neither loses nor doubles events when answers and requests are lost', async () => {
    target.clear();
    const source = serverSource(remote());
    let calls = 0;
    const shaky: EventSource = {
      ...source,
      async fetch(id, received) {
        calls += 1;
        if (calls % 3 === 0) throw new CommandError(EXIT.unreachable, 'The server does not answer');
        const events = await source.fetch(id, received);
        // the server has answered, but the answer was lost
        if (calls % 3 === 1) throw new TypeError('terminated');
        return events;
      },
    };
    const sales: string[] = [];
    const notes = await whileListening(shaky, async () => {
      for (let number = 0; number < 10; number += 1) sales.push(await sell(app, referrer));
      await target.arrived(10);
      await expect.poll(() => calls).toBeGreaterThan(30);
    });
    expect(target.received.map(({ event }) => event.data.id)).toEqual(sales);
    expect(notes[1]).toContain('terminated');
    expect(notes).toContain('Connected again.');
  });

  it('starts again, and says so, when the server has ended its listener', async () => {
    target.clear();
    const source = await databaseSource(app.service, app.accountId);
    let id = '';
    let begins = 0;
    const remembered: EventSource = {
      ...source,
      async begin(types) {
        begins += 1;
        if (begins === 2) throw new TypeError('fetch failed');
        id = await source.begin(types);
        return id;
      },
    };
    const notes = await whileListening(remembered, async () => {
      const first = id;
      await source.end(first);
      await expect.poll(() => id).not.toBe(first);
      await sell(app, referrer);
      await target.arrived(1);
    });
    expect(notes).toEqual([
      'Listening; Ctrl-C ends it.',
      expect.stringContaining('may be missing'),
      expect.stringContaining('fetch failed'),
      'Connected again.',
    ]);
  });

  it('takes a 404 of a proxy for a lost connection', async () => {
    const proxy = await serveFetch(() => new Response('404 page not found', { status: 404 }));
    const answered = serverSource(remote(proxy.url)).fetch('lsn_1', []);
    await expect(answered).rejects.toMatchObject({ exitCode: 3, message: expect.stringContaining('answered 404') });
    await proxy.close();
    const refused = serverSource(remote()).fetch('lsn_1', []);
    await expect(refused).rejects.toBeInstanceOf(ListenerEnded);
  });

  it.each([
    ['refuses its key', 4, () => ({ ...remote(), apiKey: 'rb_live_wrong' }), 'does not accept the API key'],
    ['redirects', 3, () => remote(redirecting.url), 'redirects to https://refer.example.com/: use that address'],
    ['cannot be reached', 3, () => remote('http://127.0.0.1:1'), 'does not answer'],
  ])('does not start, and says what to do, with a server that %s', async (_, exitCode, remoteOf, message) => {
    const notes: string[] = [];
    const listening = listen({
      source: serverSource(remoteOf()),
      types: ['sale.created'],
      forwardTo: null,
      secret: createEventSecret(),
      signal: new AbortController().signal,
      onEvent: () => {},
      onNote: (text) => notes.push(text),
    });
    await expect(listening).rejects.toMatchObject({ exitCode, message: expect.stringContaining(message) });
    expect(notes).toEqual([]);
  });
});
