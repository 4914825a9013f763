import type { LookupFunction } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../src/events/address.ts';
import { createPoster, type PostOptions } from '../../src/events/post.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { answerWith, createEventReceiver, type EventReceiver } from '../helpers/event-receiver.ts';

/** Each must be refused when it is created. */
const REFUSED = [
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0177.0.0.1/',
  'https://0x7f.0.0.1/',
  'https://0x7f000001/',
  'https://10.1.2.3/',
  'https://172.31.255.255/',
  'https://192.168.0.1/',
  'https://100.64.0.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://0.0.0.0/',
  'https://255.255.255.255/',
  'https://224.0.0.1/',
  'https://[::1]/',
  'https://[::]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:a9fe:a9fe]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[2002:7f00:1::]/',
  'https://[fc00::1]/',
  'https://[fe80::1]/',
  'https://[fd00:ec2::254]/',
  'https://localhost/',
  'https://LOCALHOST./',
  'https://localhost../',
  'https://127.0.0.1../',
  'https://app.localhost/',
  'https://metadata.google.internal/',
  'https://printer.local/',
  'https://intranet/',
  'http://example.com/',
  'ftp://example.com/',
  'https://user:password@example.com/',
  'https://１２７.０.０.１/',
];

const SWITCHED = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n';

const PUBLIC = ['1.1.1.1', '172.32.0.1', '192.167.255.255', '2606:4700:4700::1111'];

describe('an event endpoint', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp('sqlite', {
      service: { events: { allowedHosts: new Set(['hooks.internal']), retentionDays: 30 } },
    });
  });
  afterAll(() => app.close());

  it('is refused at an address that is not on the public internet, however it is written', async () => {
    for (const url of REFUSED) {
      const answer = await app.call('POST', '/api/event-endpoints', { body: { url } });
      expect(answer.body.error?.details, url).toMatchObject([{ path: 'url' }]);
    }
    expect((await app.call('GET', '/api/event-endpoints')).body.data).toEqual([]);
  });

  it('is accepted on the public internet, and where the setting allows it', async () => {
    for (const url of ['https://example.com/events?a=b', 'http://hooks.internal:8080/', 'https://1.1.1.1/']) {
      expect((await app.call('POST', '/api/event-endpoints', { body: { url } })).status).toBe(201);
    }
    const [first] = (await app.call('GET', '/api/event-endpoints')).body.data;
    const answer = await app.call('PATCH', `/api/event-endpoints/${first.id}`, { body: { url: 'https://10.0.0.1/' } });
    expect(answer.status).toBe(400);
  });
});

describe('a connection to an event endpoint', () => {
  let receiver: EventReceiver;
  beforeAll(async () => {
    receiver = await createEventReceiver();
  });
  afterAll(() => receiver.close());

  const lookupOf = (...answers: string[][]): LookupFunction & { asked: string[] } => {
    const asked: string[] = [];
    const lookup: LookupFunction = (hostname, options, callback) => {
      asked.push(hostname);
      const addresses = (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
      const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      if (options.all) callback(null, found);
      else callback(null, found[0]?.address ?? '', found[0]?.family ?? 4);
    };
    return Object.assign(lookup, { asked });
  };
  async function post(url: string, options: Partial<PostOptions> = {}) {
    const poster = createPoster({ allowedHosts: new Set(), timeoutMs: 2_000, ...options });
    try {
      return await poster.post(url, { 'webhook-id': 'evt_1' }, '{}', new AbortController().signal);
    } finally {
      poster.close();
    }
  }
  const at = (host: string, protocol = 'http') => `${protocol}://${host}:${new URL(receiver.url).port}/`;

  it('is refused after resolving, whatever the name resolves to', async () => {
    const inner = ['127.0.0.1', '::1', '::ffff:127.0.0.1', '169.254.169.254', '10.0.0.7', 'fd00::1'];
    for (const address of inner) {
      const lookup = lookupOf([address]);
      const posted = await post(at('rebound.example.com', 'https'), { lookup });
      expect(posted.error, address).toContain('not on the public internet');
      expect(lookup.asked).toEqual(['rebound.example.com']);
      // one private address among public ones is enough
      const mixed = await post(at('mixed.example.com', 'https'), { lookup: lookupOf(['1.1.1.1', address]) });
      expect(mixed.error, address).toContain('not on the public internet');
    }
    expect(receiver.received).toEqual([]);
  });

  it('resolves a name once for a connection, so that a second answer cannot lead elsewhere', async () => {
    const lookup = lookupOf(['127.0.0.1'], ['10.0.0.1']);
    const allowedHosts = new Set(['allowed.example.com']);
    expect(await post(at('allowed.example.com'), { lookup, allowedHosts })).toMatchObject({ status: 204, error: null });
    expect(lookup.asked.length).toBe(1);
  });

  it('is refused to an address in the URL that was written before the setting changed', async () => {
    for (const url of [receiver.url, at('127.0.0.1', 'https'), at('[::ffff:127.0.0.1]', 'https')]) {
      const posted = await post(url);
      expect(posted, url).toMatchObject({ status: null, error: expect.stringContaining('not sent') });
    }
    expect(receiver.received.length).toBe(1);
  });

  it('follows no redirect, reads little of an answer, and does not wait for one forever', async () => {
    receiver.clear();
    const allowedHosts = new Set(['127.0.0.1']);
    receiver.answer = answerWith(307, { location: receiver.url });
    expect(await post(receiver.url, { allowedHosts })).toMatchObject({
      status: 307,
      error: expect.stringContaining('redirect'),
    });
    expect(receiver.received.length).toBe(1);
    let wrote = 0;
    receiver.answer = (_, response) => {
      response.writeHead(200);
      const more = () => {
        wrote += 65_536;
        if (!response.destroyed && wrote < 100_000_000) response.write('x'.repeat(65_536), more);
      };
      more();
    };
    const posted = await post(receiver.url, { allowedHosts });
    expect(posted).toMatchObject({ status: 200, error: null });
    expect(posted.response?.length).toBe(500);
    expect(wrote).toBeLessThan(50_000_000);
    receiver.answer = () => {};
    const silent = await post(receiver.url, { allowedHosts, timeoutMs: 200 });
    expect(silent).toMatchObject({ status: null, error: 'no answer within 0.2 s' });
    for (const status of [200, 503]) {
      receiver.answer = (_, response) => response.writeHead(status, { 'retry-after': '60' }).write('x');
      const endless = await post(receiver.url, { allowedHosts, timeoutMs: 200 });
      expect(endless).toMatchObject({ status, error: status === 200 ? null : 'answered 503', retryAfter: '60' });
    }
    receiver.answer = (_, response) => response.writeHead(503, ['Retry-After', '5', 'Retry-After', '60']).end();
    expect((await post(receiver.url, { allowedHosts })).retryAfter).toBe('5, 60');
    receiver.answer = (request) => request.socket.destroy();
    expect((await post(receiver.url, { allowedHosts })).error).toContain('socket hang up');
    receiver.answer = (request) => request.socket.end(SWITCHED);
    expect((await post(receiver.url, { allowedHosts })).error).toContain('without an answer');
  });

  it('recognizes public addresses', () => {
    for (const address of PUBLIC) expect(isPublicAddress(address), address).toBe(true);
    expect(isPublicAddress('example.com')).toBe(false);
  });
});
