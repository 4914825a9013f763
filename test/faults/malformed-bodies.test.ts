import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERROR_STATUS } from '../../src/errors.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { hashTables } from '../helpers/end-state.ts';
import { rounds } from '../helpers/rounds.ts';
import { createEndpoint, createReferrer } from '../helpers/story.ts';

interface Malformed {
  body: string | Buffer;
  headers?: Record<string, string>;
}

const GOOD_LEAD = '"clickId":"clk_1","eventName":"Sign up","customerExternalId":"mia"';
const MEGABYTE = 1_048_576;

/** Each of these has broken a server. */
const CORPUS: Record<string, Malformed> = {
  'truncated JSON': { body: `{${GOOD_LEAD}` },
  'a NUL in the JSON': { body: `{${GOOD_LEAD}}\0` },
  'a NUL in a text': { body: '{"clickId":"clk\\u00001","eventName":"\\u0000","customerExternalId":"\\u0000"}' },
  'a byte order mark and nothing': { body: '\uFEFF' },
  'bad UTF-8': { body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]) },
  'a lone surrogate': { body: '{"clickId":"\\ud800","eventName":"\\udfff","customerExternalId":"\\ud800"}' },
  '1e999': { body: '{"clickId":"c","customerExternalId":"m","amount":1e999}' },
  '2^53 + 1': { body: '{"clickId":"c","customerExternalId":"m","amount":9007199254740993}' },
  'a negative amount': { body: '{"clickId":"c","customerExternalId":"m","amount":-1}' },
  'minus zero and an unknown click': { body: '{"clickId":"c","customerExternalId":"m","amount":-0}' },
  'a fraction': { body: '{"clickId":"c","customerExternalId":"m","amount":0.1}' },
  'duplicate keys': { body: `{${GOOD_LEAD},"clickId":1,"clickId":{}}` },
  'an array at the root': { body: `[{${GOOD_LEAD}}]` },
  'null at the root': { body: 'null' },
  'a number at the root': { body: '1' },
  'a text at the root': { body: '"clickId"' },
  'nothing at all': { body: '' },
  'a bad charset': { body: `{${GOOD_LEAD}}`, headers: { 'content-type': 'application/json; charset=utf-7' } },
  'junk that calls itself gzip': { body: Buffer.from('junk'), headers: { 'content-encoding': 'gzip' } },
  'a gzip bomb': { body: gzipSync(Buffer.alloc(50 * MEGABYTE, 0x20)), headers: { 'content-encoding': 'gzip' } },
  'an unknown encoding': { body: `{${GOOD_LEAD}}`, headers: { 'content-encoding': 'rot13' } },
  'no JSON by its type': { body: `{${GOOD_LEAD}}`, headers: { 'content-type': 'text/plain' } },
  'a type that is no type': { body: `{${GOOD_LEAD}}`, headers: { 'content-type': ';;;' } },
  'deep nesting': { body: `{${GOOD_LEAD},"metadata":${'{"a":'.repeat(7_000)}1${'}'.repeat(7_000)}}` },
  'deep arrays at the root': { body: '['.repeat(30_000) + ']'.repeat(30_000) },
  'a prototype': { body: `{"__proto__":{"clickId":"c"},"constructor":{"prototype":{}}}` },
  'a prototype in the metadata': { body: `{${GOOD_LEAD},"metadata":{"__proto__":{"polluted":1}}}` },
  'a thousand keys': {
    body: `{${GOOD_LEAD},"metadata":${JSON.stringify(Object.fromEntries(Array.from({ length: 1_000 }, (_, key) => [key, key])))}}`,
  },
  'too much': { body: `{${GOOD_LEAD},"eventName":"${'x'.repeat(3 * MEGABYTE)}"}` },
};

/** Arbitrary JSON, truncated or corrupted JSON, bytes, and text. */
const anyBody: fc.Arbitrary<Malformed> = fc.oneof(
  fc.jsonValue().map((value) => ({ body: JSON.stringify(value) })),
  fc
    .record({ clickId: fc.anything(), eventName: fc.anything(), amount: fc.anything() })
    .map((value) => ({ body: jsonOf(value) })),
  fc.tuple(fc.nat(70), fc.string({ unit: 'binary', maxLength: 3 })).map(([at, junk]) => ({
    body: `{${GOOD_LEAD}`.slice(0, at) + junk,
  })),
  fc.uint8Array({ maxLength: 64 }).map((bytes) => ({ body: Buffer.from(bytes) })),
  fc.string({ unit: 'binary' }).map((text) => ({ body: text })),
);

const RUNS = { sqlite: rounds(10_000), postgres: rounds(1_000) };
const AT_ONCE = 50;
const HEAP_GROWTH_MAX_MB = 40;

describe.each(engines)('malformed bodies on %s', (engine) => {
  let app: TestApp;
  let paths: string[];
  beforeAll(async () => {
    app = await createTestApp(engine);
    const referrer = await createReferrer(app);
    await referrer.lead('mia');
    const stripe = await createEndpoint(app, 'stripe');
    paths = ['/api/track/lead', '/api/track/sale', `/webhooks/stripe/${stripe.id}`];
  });
  afterAll(() => app.close());

  async function expectRefused(path: string, { body, headers = {} }: Malformed, what: string): Promise<void> {
    const answer = await app.call('POST', path, { body, headers });
    const where = `${what} to ${path}: ${answer.status} ${answer.text.slice(0, 200)}`;
    expect(answer.status, where).toBeGreaterThanOrEqual(400);
    expect(answer.status, where).toBeLessThan(500);
    const { error } = answer.body;
    expect(ERROR_STATUS[error.code as keyof typeof ERROR_STATUS], where).toBe(answer.status);
    expect(typeof error.message, where).toBe('string');
    expect(error.message.length, where).toBeGreaterThan(0);
  }

  it('of the corpus are refused in the error format by lead, sale and webhook', async () => {
    const before = await hashTables(app.service.database);
    for (const [what, malformed] of Object.entries(CORPUS)) {
      for (const path of paths) await expectRefused(path, malformed, what);
    }
    expect(await hashTables(app.service.database)).toEqual(before);
    expect(Object.prototype).not.toHaveProperty('polluted');
  });

  it(`of every kind, ${RUNS[engine]} of them, store nothing and leak no memory`, async () => {
    const before = await hashTables(app.service.database);
    const bodies = fc.sample(anyBody, RUNS[engine]);
    const heapBefore = await heapAfterCollection();
    for (let start = 0; start < bodies.length; start += AT_ONCE) {
      const some = bodies.slice(start, start + AT_ONCE);
      await Promise.all(
        some.map((malformed, index) =>
          expectRefused(
            paths[(start + index) % paths.length] ?? '/',
            malformed,
            JSON.stringify(String(malformed.body)),
          ),
        ),
      );
    }
    expect(await hashTables(app.service.database)).toEqual(before);
    expect(((await heapAfterCollection()) - heapBefore) / MEGABYTE).toBeLessThan(HEAP_GROWTH_MAX_MB);
  });
});

/** JSON of any value: `null` for what JSON omits, text for what it refuses. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch {
    return '"no JSON"';
  }
}

/** Bytes in use after garbage collection; a part is released only in the next turn of the event loop. */
async function heapAfterCollection(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  for (let rounds = 0; rounds < 3; rounds += 1) {
    collect();
    await turn();
  }
  return process.memoryUsage().heapUsed;
}
