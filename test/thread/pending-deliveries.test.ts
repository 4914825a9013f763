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
