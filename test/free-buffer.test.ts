import { expect, it } from 'vitest';
import { freeBuffer } from '../src/free-buffer.ts';

it('gives the memory of a whole buffer back at once', () => {
  const bytes = Buffer.alloc(2 * 1024 * 1024, 'x');
  const before = process.memoryUsage().arrayBuffers;
  freeBuffer(bytes);
  expect(bytes).toHaveLength(0);
  expect(before - process.memoryUsage().arrayBuffers).toBeGreaterThanOrEqual(2 * 1024 * 1024);
});

it('leaves a part of a larger buffer alone', () => {
  const whole = Buffer.alloc(200, 'x');
  freeBuffer(whole.subarray(100));
  freeBuffer(whole.subarray(0, 100));
  expect(whole.toString()).toBe('x'.repeat(200));
});
