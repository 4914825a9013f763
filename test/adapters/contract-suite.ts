import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { interpretTests } from './contract-interpret.ts';
import { type AdapterUnderTest, NOW } from './contract-subject.ts';
import { verifyTests } from './contract-verify.ts';

const ROLES = ['index', 'verify', 'payload', 'interpret', 'customer-hints', 'sign', 'settings', 'guide'];
/** A guide says this where a processor sends every event. */
const EVERYTHING = 'All events';

/** The contract of every adapter, whatever its processor. */
export function describeAdapter(subject: AdapterUnderTest): void {
  const { name, adapter, guide, files, fixtures } = subject;

  describe(`the ${name} adapter`, () => {
    beforeAll(() => {
      // Polar's package uses the system clock
      vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
    });
    afterAll(() => {
      vi.useRealTimers();
    });

    test('is named as it is registered, and has fixtures', () => {
      expect(adapter.processor).toBe(name);
      expect(fixtures.length).toBeGreaterThan(5);
    });

    test('has a file for each role, named as in every other adapter', () => {
      expect(files).toEqual(expect.arrayContaining(ROLES.map((role) => `${role}.ts`)));
    });

    test('tells operators to tick only events of which there are fixtures', () => {
      const known = new Set([EVERYTHING, ...fixtures.map(({ eventType }) => eventType)]);
      expect(guide.events.filter((event) => !known.has(event))).toEqual([]);
    });

    test('keeps no header that contains a secret', () => {
      for (const header of adapter.keptHeaders) {
        expect(header).toBe(header.toLowerCase());
        expect(header).not.toMatch(/authorization|signature|hmac/);
      }
    });

    describe('verify', () => verifyTests(subject));
    describe('read and interpret', () => interpretTests(subject));
  });
}
