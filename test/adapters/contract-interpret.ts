import { inspect } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Adapter } from '../../adapters/contract/adapter.ts';
import { enforceFactLimits } from '../../src/core/fact-limits.ts';
import { rounds, someOf } from '../helpers/rounds.ts';
import { type AdapterUnderTest, firstFixtureOf, NOW, signed } from './contract-subject.ts';
import { deepFreeze } from './deep-freeze.ts';
import { anySettingsOf } from './endpoints.ts';
import type { Fixture } from './fixtures.ts';
import { mutationsOf, withType } from './mutations.ts';
import { flawsOf } from './well-formed.ts';

/** Far deeper than functions can call each other. */
const DEPTH = 100_000;

/** Every adapter interprets its fixtures as expected, and never guesses about other signed bodies. */
export function interpretTests(subject: AdapterUnderTest): void {
  const { adapter, fixtures } = subject;

  test.each(fixtures.map((fixture): [string, Fixture] => [fixture.name, fixture]))('%s', (_name, fixture) => {
    const headers = { ...signed(adapter, fixture).headers, ...fixture.headers };
    const delivery = deepFreeze(adapter.read({ rawBody: fixture.rawBody, headers }));
    const settings = deepFreeze(fixture.settings);
    const interpretation = enforceFactLimits(adapter.interpret(delivery, deepFreeze(headers), settings));
    if (fixture.deliveryKey === undefined && adapter.keyIn !== 'body') {
      expect(delivery.deliveryKey).toMatch(/\S{16}/);
    } else {
      expect(delivery.deliveryKey).toBe(fixture.deliveryKey);
    }
    expect(interpretation).toStrictEqual(fixture.interpretation);
    expect(enforceFactLimits(adapter.interpret(delivery, headers, settings))).toStrictEqual(interpretation);
    expect(flawsOf(interpretation)).toEqual([]);
  });

  test('the same body is the same delivery, however it is signed', () => {
    const fixture = firstFixtureOf(subject);
    const keys = [NOW, NOW + 86_400_000].map((now) => adapter.read(signed(adapter, fixture, now)).deliveryKey);
    expect(keys[0]).toBe(keys[1]);
  });

  test('an undocumented type is unknown, and the reason names it', () => {
    const fixture = firstFixtureOf(subject);
    const request = signed(adapter, {
      rawBody: withType(fixture.rawBody, fixture.eventType, 'planets.aligned'),
      eventType: 'planets/aligned',
    });
    const delivery = adapter.read(request);
    const interpretation = adapter.interpret(delivery, request.headers, fixture.settings);
    expect(delivery.eventType).toMatch(/^planets[./]aligned$/);
    expect(interpretation.kind).toBe('unknown');
    expect(interpretation).toHaveProperty('reason', expect.stringMatching(/planets[./]aligned/));
  });

  test('a body that is not a JSON object is unknown, with the same reason from every adapter', () => {
    for (const text of ['', 'null', '[]', '7', '"text"', '{', '\uFEFF{}', '\0', '[{"id":"evt_1"}]']) {
      const request = signed(adapter, { rawBody: Buffer.from(text), eventType: firstFixtureOf(subject).eventType });
      const interpretation = adapter.interpret(adapter.read(request), request.headers, anySettingsOf(adapter));
      const reason = 'The body has an unexpected form: it is not a JSON object';
      expect(interpretation, JSON.stringify(text)).toEqual({ kind: 'unknown', reason });
    }
  });

  test('JSON of any kind never makes them throw', () => {
    const { rawBody, eventType } = firstFixtureOf(subject);
    const envelope: Record<string, unknown> = JSON.parse(rawBody.toString('utf8'));
    const inside = fc
      .tuple(fc.constantFrom(...Object.keys(envelope)), fc.jsonValue())
      .map(([key, value]) => ({ ...envelope, [key]: value }));
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), inside), (value) => {
        const request = signed(adapter, { rawBody: Buffer.from(JSON.stringify(value)), eventType });
        expect(flawsOfReading(adapter, request.rawBody, request.headers)).toEqual([]);
      }),
      { numRuns: rounds(500) },
    );
  });

  test('JSON that is nested very deeply never makes them throw', () => {
    const { rawBody, eventType } = firstFixtureOf(subject);
    const nested = `${'['.repeat(DEPTH)}1${']'.repeat(DEPTH)}`;
    const envelope = rawBody.toString('utf8').trim();
    const members = Object.keys(JSON.parse(envelope));
    for (const name of [...members, 'unknown']) {
      // of two members with one name, the last counts
      const body = `${envelope.slice(0, -1)},"${name}":${nested}}`;
      const request = signed(adapter, { rawBody: Buffer.from(body), eventType });
      expect(flawsOfReading(adapter, request.rawBody, request.headers), name).toEqual([]);
    }
  });

  test('they never throw when a member of a fixture is dropped, nulled or of another type', () => {
    const flaws: string[] = [];
    let count = 0;
    for (const fixture of fixtures) {
      const headers = { ...signed(adapter, fixture).headers, ...fixture.headers };
      for (const { what, payload } of someOf([...mutationsOf(JSON.parse(fixture.rawBody.toString('utf8')))])) {
        const found = flawsOfReading(adapter, Buffer.from(JSON.stringify(payload)), headers);
        flaws.push(...found.map((flaw) => `${fixture.name}, ${what}: ${flaw}`));
        count += 1;
      }
    }
    expect(flaws).toEqual([]);
    expect(count).toBeGreaterThan(rounds(500));
  });
}

/** The problems of reading and interpreting a body, including an exception. */
function flawsOfReading(adapter: Adapter<string>, rawBody: Buffer, headers: Record<string, string>): string[] {
  try {
    return flawsOf(
      enforceFactLimits(adapter.interpret(adapter.read({ rawBody, headers }), headers, anySettingsOf(adapter))),
    );
  } catch (error) {
    return [inspect(error)];
  }
}
