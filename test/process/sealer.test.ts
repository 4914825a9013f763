import { describe, expect, it } from 'vitest';
import { createSealer } from '../../src/process/sealer.ts';

const sealer = createSealer(Buffer.alloc(32, 1));

describe('a sealed webhook secret', () => {
  it('is decrypted to the same text, whatever its characters', () => {
    for (const text of ['', 'whsec_example', '🔑 ключ', 'x'.repeat(10_000)]) {
      expect(sealer.open(sealer.seal(text))).toBe(text);
    }
  });

  it('is different each time and does not contain its text', () => {
    const first = sealer.seal('whsec_example');
    expect(first.equals(sealer.seal('whsec_example'))).toBe(false);
    expect(first.includes('whsec_example')).toBe(false);
  });

  it('starts with its version, and is refused under another one', () => {
    const sealed = sealer.seal('whsec_example');
    expect(sealed[0]).toBe(1);
    sealed[0] = 2;
    expect(() => sealer.open(sealed)).toThrow('SECRET_KEY');
  });

  it('is refused when any byte was changed', () => {
    const sealed = sealer.seal('whsec_example');
    for (let index = 0; index < sealed.length; index++) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(() => sealer.open(changed), `byte ${index}`).toThrow();
    }
  });

  it('is refused with another key and when truncated, with advice', () => {
    const sealed = sealer.seal('whsec_example');
    expect(() => createSealer(Buffer.alloc(32, 2)).open(sealed)).toThrow('SECRET_KEY');
    for (const length of [0, 1, 12, 28, sealed.length - 1]) {
      expect(() => sealer.open(sealed.subarray(0, length)), `${length} bytes`).toThrow();
    }
  });

  it('tells which key sealed it, and is opened with a fallback, too', () => {
    const [previous, older] = [Buffer.alloc(32, 2), Buffer.alloc(32, 3)];
    const changed = createSealer(Buffer.alloc(32, 1), [previous, older]);
    const values = [sealer, createSealer(previous), createSealer(older), createSealer(Buffer.alloc(32, 4))];
    const sealed = values.map((one) => one.seal('whsec_example'));
    expect(sealed.map((value) => changed.keyOf(value))).toEqual(['current', 'fallback', 'fallback', null]);
    expect(sealed.slice(0, 3).map((value) => changed.open(value))).toEqual(Array(3).fill('whsec_example'));
    expect(sealer.keyOf(changed.seal('whsec_example'))).toBe('current');
    expect(changed.digest('ana')).toBe(sealer.digest('ana'));
  });
});
