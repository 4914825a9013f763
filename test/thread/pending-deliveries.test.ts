import { expect, it } from 'vitest';
import { PendingDeliveries } from '../../src/thread/pending-deliveries.ts';
import { asId } from '../helpers/ids.ts';

const ANSWER = { outcome: 'sale', deliveryId: asId<'dlv'>('dlv_1'), reason: null } as const;

it('refuses deliveries above 64 MiB or 2,000, and accepts them again when others were answered', async () => {
  const pending = new PendingDeliveries();
  const mebibyte = 1024 * 1024;
  const first = pending.add(63 * mebibyte);
  expect(() => pending.add(2 * mebibyte)).toThrow(expect.objectContaining({ code: 'UNAVAILABLE' }));
  const second = pending.add(mebibyte);
  pending.settle({ number: first.number, answer: ANSWER, error: null });
  expect(await first.answer).toEqual(ANSWER);
  for (let n = 1; n < 2_000; n++) pending.add(1).answer.catch(() => {});
  expect(() => pending.add(1)).toThrow('Too many deliveries are waiting');
  const ended = new Error('ended');
  pending.rejectAll(ended);
  await expect(second.answer).rejects.toBe(ended);
  expect(pending.isEmpty).toBe(true);
  // a late answer
  pending.settle({ number: second.number, answer: ANSWER, error: null });
  pending.add(64 * mebibyte).answer.catch(() => {});
});

it('rejects all of a thread that settles none of them for a while, but not those of a slow one', async () => {
  const pending = new PendingDeliveries();
  const error = new Error('blocked');
  const checks = (count: number) => Array.from({ length: count }, () => pending.check(error));
  expect(checks(10)).not.toContain(true);
  const [first, second, third] = [pending.add(1), pending.add(1), pending.add(1)];
  expect(checks(5)).not.toContain(true);
  pending.settle({ number: first.number, answer: ANSWER, error: null });
  expect(await first.answer).toEqual(ANSWER);
  expect([checks(5).includes(true), pending.isBlocked]).toEqual([false, false]);
  expect([checks(1), pending.isBlocked]).toEqual([[true], true]);
  for (const { answer } of [second, third]) await expect(answer).rejects.toBe(error);
  expect([checks(10).includes(true), pending.isBlocked, pending.isEmpty]).toEqual([false, true, false]);
  pending.settle({ number: second.number, answer: ANSWER, error: null });
  expect([pending.isBlocked, pending.isEmpty]).toEqual([false, false]);
});
