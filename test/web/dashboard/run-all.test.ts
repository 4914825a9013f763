import { describe, expect, it } from 'vitest';
import { runAll } from '../../../src/web/dashboard/data/run-all.ts';
import { ApiError } from '../../../src/web/parts/api.ts';

const ITEMS = Array.from({ length: 20 }, (_, index) => index);
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a bulk change', () => {
  it('runs each item once, a few at a time, and one that fails does not stop the others', async () => {
    const started: number[] = [];
    const settled = new Map<number, string | null>();
    let now = 0;
    let most = 0;
    await runAll(ITEMS, {
      async run(item) {
        started.push(item);
        now += 1;
        most = Math.max(most, now);
        await turn();
        now -= 1;
        if (item % 7 === 3) throw new ApiError('INVALID_STATE', `No. ${item} is paid`, 409);
      },
      onSettled: (item, error) => settled.set(item, error?.message ?? null),
      signal: new AbortController().signal,
    });
    expect(started).toEqual(ITEMS);
    expect([most, settled.size]).toEqual([4, 20]);
    expect([...settled].filter(([, message]) => message !== null)).toEqual(
      [3, 10, 17].map((item) => [item, `No. ${item} is paid`]),
    );
  });

  it('waits as long as the service says, and resends refused items', async () => {
    const waited: number[] = [];
    const done: number[] = [];
    let refusals = 3;
    await runAll(ITEMS, {
      async run(item) {
        await turn();
        if (item < 5 || refusals === 0) return;
        refusals -= 1;
        const refusal = new ApiError('RATE_LIMIT_EXCEEDED', 'Too many', 429);
        refusal.retryAfterSeconds = 42;
        throw refusal;
      },
      onSettled: (item, error) => done.push(error === null ? item : -1),
      signal: new AbortController().signal,
      wait: async (seconds) => void waited.push(seconds),
    });
    expect(waited).toEqual([42, 42, 42]);
    expect(done.sort((a, b) => a - b)).toEqual(ITEMS);
  });

  it.each([
    ['somebody stops it', 200, 4],
    ['the session has ended', 401, 4],
  ])('begins no further item when %s', async (_, status, count) => {
    const stopper = new AbortController();
    const settled: number[] = [];
    await runAll(ITEMS, {
      async run() {
        await turn();
        if (status === 401) throw new ApiError('UNAUTHORIZED', 'The session has ended', 401);
        stopper.abort();
      },
      onSettled: (item) => settled.push(item),
      signal: stopper.signal,
    });
    expect(settled).toHaveLength(count);
  });
});
