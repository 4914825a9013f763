import { inspect } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Adapter, EndpointSecrets } from '../../adapters/contract/adapter.ts';
import { adapters } from '../../adapters/index.ts';
import { PROCESSORS, type Processor } from '../../src/core/processor.ts';
import { ServiceError } from '../../src/errors.ts';
import { deepFreeze } from './deep-freeze.ts';
import { DEFAULT_SETTINGS, type Fixture, loadFixtures } from './fixtures.ts';
import { mutationsOf, withType } from './mutations.ts';
import { loadSamples } from './samples.ts';
import { flawsOf } from './well-formed.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const SECRET = `whsec_${Buffer.from('the secret of this endpoint').toString('base64')}`;
const OTHER_SECRET = `whsec_${Buffer.from('the secret of another endpoint').toString('base64')}`;
const AUTHORIZATION = 'Bearer the-authorization-of-this-endpoint';

/** Shopify signs the body alone: nothing tells how old a delivery is. */
const WITHOUT_TIMESTAMP: readonly Processor[] = ['shopify'];

/** Their delivery key is a header that signing makes from the body: their fixtures do not name it. */
const KEYED_BY_HEADER: readonly Processor[] = ['shopify', 'polar'];

const ANY_SETTINGS = { ...DEFAULT_SETTINGS, acceptTestEvents: true, countPaymentIntents: true };

describe.each(PROCESSORS)('the %s adapter', (processor) => {
  const fixtures = loadFixtures(processor);
  let adapter: Adapter;
  beforeAll(async () => {
    // Polar's package looks at the system's clock.
    vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
    adapter = await adapters[processor]();
  });
  afterAll(() => {
    vi.useRealTimers();
  });

  function secretsOf(...secrets: string[]): EndpointSecrets {
    return { secrets, authorization: processor === 'revenuecat' ? AUTHORIZATION : null, shopDomain: null };
  }

  function signed(fixture: Pick<Fixture, 'rawBody' | 'eventType'>, now = NOW) {
    const headers = adapter.sign(fixture.rawBody, secretsOf(SECRET), now, fixture.eventType);
    return { rawBody: fixture.rawBody, headers };
  }

  function firstFixture(): Fixture {
    const fixture = fixtures.find(({ interpretation }) => interpretation.kind === 'facts');
    if (!fixture) throw new Error(`fixtures/${processor} has no payload with facts`);
    return fixture;
  }

  /** The refusal, after making sure that it gives nothing away. */
  async function refusal(request: Parameters<Adapter['verify']>[0], secrets: EndpointSecrets): Promise<ServiceError> {
    const error = await adapter.verify(request, secrets, NOW).then(
      () => new Error('was accepted'),
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof ServiceError)) throw error;
    expect(error.code).toBe('INVALID_SIGNATURE');
    const shown = inspect(error, { depth: 10 });
    for (const hidden of hiddenWordsOf(secrets, request.headers)) expect(shown).not.toContain(hidden);
    return error;
  }

  test('is named as it is registered, and has fixtures', () => {
    expect(adapter.processor).toBe(processor);
    expect(fixtures.length).toBeGreaterThan(5);
  });

  test('keeps no header that holds a secret', () => {
    for (const header of adapter.keptHeaders) {
      expect(header).toBe(header.toLowerCase());
      expect(header).not.toMatch(/authorization|signature|hmac/);
    }
  });

  describe('verify', () => {
    test('accepts every fixture that is signed with the secret', async () => {
      for (const fixture of fixtures) await adapter.verify(signed(fixture), secretsOf(SECRET), NOW);
      expect(fixtures).not.toHaveLength(0);
    });

    test('accepts a delivery that was under way for some minutes', async () => {
      await expect(
        adapter.verify(signed(firstFixture(), NOW - 240_000), secretsOf(SECRET), NOW),
      ).resolves.toBeUndefined();
    });

    test('accepts the second of two secrets, and refuses when none matches', async () => {
      const request = signed(firstFixture());
      await expect(adapter.verify(request, secretsOf(OTHER_SECRET, SECRET), NOW)).resolves.toBeUndefined();
      await refusal(request, secretsOf(OTHER_SECRET));
      await refusal(request, secretsOf(OTHER_SECRET, `${SECRET}x`));
    });

    test('refuses a body with one changed byte, wherever it is', async () => {
      const { rawBody, headers } = signed(firstFixture());
      for (const position of [0, Math.floor(rawBody.length / 2), rawBody.length - 1]) {
        const changed = Buffer.from(rawBody);
        changed[position] = (changed[position] ?? 0) ^ 1;
        await refusal({ rawBody: changed, headers }, secretsOf(SECRET));
      }
      await refusal({ rawBody: rawBody.subarray(1), headers }, secretsOf(SECRET));
      await refusal({ rawBody: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), rawBody]), headers }, secretsOf(SECRET));
    });

    test('refuses a delivery without the headers that sign it', async () => {
      const error = await refusal({ rawBody: firstFixture().rawBody, headers: {} }, secretsOf(SECRET));
      expect(error.message).toMatch(/missing/i);
    });

    test('refuses headers that are no signature', async () => {
      const { rawBody, headers } = signed(firstFixture());
      for (const text of ['', ' ', ',', '=', 't=,v1=', 't=1', 'ts=1;h1=', 'v1,', '💥', 'x'.repeat(10_000)]) {
        const broken = Object.fromEntries(Object.keys(headers).map((name) => [name, text]));
        await refusal({ rawBody, headers: broken }, secretsOf(SECRET));
      }
    });

    test('refuses everything while the endpoint has no secret or an empty one', async () => {
      const request = signed(firstFixture());
      for (const secrets of [[], [''], ['  ']]) {
        const endpoint = { secrets, authorization: processor === 'revenuecat' ? '' : null, shopDomain: null };
        const error = await refusal(request, endpoint);
        expect(error.message).toMatch(/secret/);
      }
    });

    if (!WITHOUT_TIMESTAMP.includes(processor)) {
      test('refuses a stale delivery and says how old it is', async () => {
        const error = await refusal(signed(firstFixture(), NOW - 3_600_000), secretsOf(SECRET));
        expect(error.message).toMatch(/3600 s/);
      });
    }
  });

  describe('read and interpret', () => {
    test.each(fixtures.map((fixture): [string, Fixture] => [fixture.name, fixture]))('%s', (_name, fixture) => {
      const headers = { ...signed(fixture).headers, ...fixture.headers };
      const delivery = deepFreeze(adapter.read({ rawBody: fixture.rawBody, headers }));
      const settings = deepFreeze(fixture.settings);
      const interpretation = adapter.interpret(delivery, deepFreeze(headers), settings);
      if (fixture.deliveryKey === undefined && KEYED_BY_HEADER.includes(processor)) {
        expect(delivery.deliveryKey).toMatch(/\S{16}/);
      } else {
        expect(delivery.deliveryKey).toBe(fixture.deliveryKey);
      }
      expect(interpretation).toStrictEqual(fixture.interpretation);
      expect(adapter.interpret(delivery, headers, settings)).toStrictEqual(interpretation);
      expect(flawsOf(interpretation)).toEqual([]);
    });

    test('the same body is the same delivery, whenever it is signed', () => {
      const fixture = firstFixture();
      const keys = [NOW, NOW + 86_400_000].map((now) => adapter.read(signed(fixture, now)).deliveryKey);
      expect(keys[0]).toBe(keys[1]);
    });

    test('a type that nobody described is unknown, and is named', () => {
      const fixture = firstFixture();
      const request = signed({ rawBody: withType(fixture.rawBody, 'planets.aligned'), eventType: 'planets/aligned' });
      const delivery = adapter.read(request);
      const interpretation = adapter.interpret(delivery, request.headers, fixture.settings);
      expect(delivery.eventType).toMatch(/^planets[./]aligned$/);
      expect(interpretation.kind).toBe('unknown');
      expect(interpretation).toHaveProperty('reason', expect.stringMatching(/planets[./]aligned/));
    });

    test('a body that is no JSON object is unknown', () => {
      for (const text of ['', 'null', '[]', '7', '"text"', '{', '\uFEFF{}', '\0', '[{"id":"evt_1"}]']) {
        const request = signed({ rawBody: Buffer.from(text), eventType: firstFixture().eventType });
        const interpretation = adapter.interpret(adapter.read(request), request.headers, ANY_SETTINGS);
        expect(interpretation.kind, JSON.stringify(text)).toBe('unknown');
      }
    });

    test('no JSON makes them throw', () => {
      const { rawBody, eventType } = firstFixture();
      const envelope: Record<string, unknown> = JSON.parse(rawBody.toString('utf8'));
      const inside = fc
        .tuple(fc.constantFrom(...Object.keys(envelope)), fc.jsonValue())
        .map(([key, value]) => ({ ...envelope, [key]: value }));
      fc.assert(
        fc.property(fc.oneof(fc.jsonValue(), inside), (value) => {
          const request = signed({ rawBody: Buffer.from(JSON.stringify(value)), eventType });
          expect(flawsOfReading(adapter, request.rawBody, request.headers)).toEqual([]);
        }),
        { numRuns: 500 },
      );
    });

    test('no member of a fixture makes them throw when it is dropped, nulled or of another type', () => {
      const flaws: string[] = [];
      let count = 0;
      for (const fixture of fixtures) {
        const headers = { ...signed(fixture).headers, ...fixture.headers };
        for (const { what, payload } of mutationsOf(JSON.parse(fixture.rawBody.toString('utf8')))) {
          const found = flawsOfReading(adapter, Buffer.from(JSON.stringify(payload)), headers);
          flaws.push(...found.map((flaw) => `${fixture.name}, ${what}: ${flaw}`));
          count += 1;
        }
      }
      expect(flaws).toEqual([]);
      expect(count).toBeGreaterThan(500);
    });

    const samples = loadSamples(processor);
    if (samples.length > 0) {
      test.each(samples.map((sample) => sample.file))('the published sample %s is interpreted', (file) => {
        const sample = samples.find((candidate) => candidate.file === file) ?? {
          rawBody: Buffer.alloc(0),
          eventType: '',
        };
        const request = signed(sample);
        const delivery = adapter.read(request);
        expect(delivery.eventType).toBe(sample.eventType);
        for (const settings of [DEFAULT_SETTINGS, ANY_SETTINGS]) {
          expect(flawsOf(adapter.interpret(delivery, request.headers, settings))).toEqual([]);
        }
      });
    }
  });
});

/** What was wrong with reading and interpreting a body, an exception included. */
function flawsOfReading(adapter: Adapter, rawBody: Buffer, headers: Record<string, string>): string[] {
  try {
    return flawsOf(adapter.interpret(adapter.read({ rawBody, headers }), headers, ANY_SETTINGS));
  } catch (error) {
    return [inspect(error)];
  }
}

function hiddenWordsOf(endpoint: EndpointSecrets, headers: Record<string, unknown>): string[] {
  const values = Object.entries(headers).filter(([name]) => /authorization|signature|hmac/.test(name));
  const words = values.flatMap(([, value]) => [String(value), ...String(value).split(/[,;=\s]/)]);
  return [SECRET, OTHER_SECRET, AUTHORIZATION, ...endpoint.secrets, ...words].filter((word) => word.trim().length > 15);
}
