import { describe, expect, it } from 'vitest';
import { BoundedCache } from '../../src/app/bounded-cache.ts';

const START = Date.parse('2026-11-21T12:00:00Z');

function createCache(limits: { entriesMax?: number; maxAgeMs?: number } = {}) {
  const time = { now: START };
  const cache = new BoundedCache<string, string>({ entriesMax: 3, ...limits, clock: () => time.now });
  const cached = (...keys: string[]) => keys.filter((key) => cache.get(key) !== undefined);
  return { cache, cached, time };
}

describe('a bounded cache', () => {
  it('returns the last value set, and undefined for a key that was never set', () => {
    const { cache } = createCache();
    cache.set('a', 'first');
    cache.set('a', 'second');
    expect([cache.get('a'), cache.get('b')]).toEqual(['second', undefined]);
  });

  it('evicts the least recently used entry when it is full, and only that one', () => {
    const { cache, cached } = createCache();
    for (const key of ['a', 'b', 'c']) cache.set(key, key);
    cache.get('a');
    cache.set('d', 'd');
    expect(cached('a', 'b', 'c', 'd')).toEqual(['a', 'c', 'd']);
  });

  it('counts a set as a use, and evicts nothing when it replaces an entry', () => {
    const { cache, cached } = createCache();
    for (const key of ['a', 'b', 'c', 'a']) cache.set(key, key);
    expect(cached('b', 'c', 'a')).toEqual(['b', 'c', 'a']);
    cache.set('a', 'again');
    cache.set('d', 'd');
    expect(cached('a', 'b', 'c', 'd')).toEqual(['a', 'c', 'd']);
  });

  it('never contains more entries than its maximum', () => {
    const { cache, cached } = createCache();
    const keys = Array.from({ length: 1_000 }, (_, n) => `key ${n}`);
    for (const key of keys) cache.set(key, key);
    expect(cached(...keys)).toEqual(keys.slice(-3));
  });

  it('keeps entries indefinitely without a maximum age', () => {
    const { cache, time } = createCache();
    cache.set('a', 'a');
    time.now += 1e12;
    expect(cache.get('a')).toBe('a');
  });

  it('expires an entry at its maximum age, however often it is used', () => {
    const { cache, time } = createCache({ maxAgeMs: 1_000 });
    cache.set('a', 'a');
    time.now += 999;
    expect(cache.get('a')).toBe('a');
    time.now += 1;
    expect(cache.get('a')).toBeUndefined();
  });

  it('accepts a stricter age for one lookup, which keeps the entry for others', () => {
    const { cache, time } = createCache({ maxAgeMs: 1_000 });
    cache.set('a', 'a');
    time.now += 500;
    expect([cache.get('a', 500), cache.get('a')]).toEqual([undefined, 'a']);
  });

  it('does not extend an entry when the clock is set back', () => {
    const { cache, time } = createCache({ maxAgeMs: 1_000 });
    cache.set('a', 'a');
    time.now -= 1_000;
    expect(cache.get('a')).toBeUndefined();
  });
});

describe('a value that a bounded cache loads', () => {
  it('is cached as of the start of the read', async () => {
    const { cache, time } = createCache({ maxAgeMs: 1_000 });
    const loaded = await cache.load('a', async () => {
      time.now += 400;
      return 'read';
    });
    expect([loaded, cache.get('a')]).toEqual(['read', 'read']);
    time.now += 600;
    expect(cache.get('a')).toBeUndefined();
  });

  it('replaces the cached one, or removes it when the source has none', async () => {
    const { cache } = createCache();
    cache.set('a', 'before');
    await cache.load('a', async () => 'after');
    expect(cache.get('a')).toBe('after');
    expect(await cache.load('a', async () => undefined)).toBeUndefined();
    expect(cache.get('a')).toBeUndefined();
  });

  it('stays unchanged when the read fails', async () => {
    const { cache } = createCache();
    cache.set('a', 'before');
    const failing = cache.load('a', () => Promise.reject(new Error('gone')));
    await expect(failing).rejects.toThrow('gone');
    expect(cache.get('a')).toBe('before');
  });

  it.each(['a', 'another entry'])('is not cached when %s was invalidated during the read', async (invalidated) => {
    const { cache } = createCache();
    cache.set('a', 'before');
    const reading = Promise.withResolvers<string>();
    const loading = cache.load('a', () => reading.promise);
    cache.invalidate(invalidated);
    reading.resolve('read before the change');
    expect(await loading).toBe('read before the change');
    expect(cache.get('a')).toBeUndefined();
    await cache.load('a', async () => 'read after it');
    expect(cache.get('a')).toBe('read after it');
  });

  it('is evicted as soon as it is invalidated', () => {
    const { cache } = createCache();
    cache.set('a', 'a');
    cache.invalidate('a');
    expect(cache.get('a')).toBeUndefined();
  });
});
