import { expect, it } from 'vitest';
import { GivenDeliveries } from '../../src/thread/given.ts';

const ANSWER = { outcome: 'sale', deliveryId: 'dlv_1', reason: null } as const;

it('refuses deliveries beyond 64 MiB or 2,000, and takes them again when others were answered', async () => {
  const given = new GivenDeliveries();
  const mebibyte = 1024 * 1024;
  const first = given.add(63 * mebibyte);
  expect(() => given.add(2 * mebibyte)).toThrow(expect.objectContaining({ code: 'UNAVAILABLE' }));
  const second = given.add(mebibyte);
  given.settle({ number: first.number, answer: ANSWER, error: null });
  expect(await first.answer).toEqual(ANSWER);
  for (let n = 1; n < 2_000; n++) given.add(1).answer.catch(() => {});
  expect(() => given.add(1)).toThrow('Too many deliveries are waiting');
  const ended = new Error('ended');
  given.rejectAll(ended);
  await expect(second.answer).rejects.toBe(ended);
  expect(given.isEmpty).toBe(true);
  // an answer that comes after all
  given.settle({ number: second.number, answer: ANSWER, error: null });
  given.add(64 * mebibyte).answer.catch(() => {});
});
