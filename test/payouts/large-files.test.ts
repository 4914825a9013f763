import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textOf } from '../../src/payouts/file-contents.ts';
import { recordFileResults } from '../../src/payouts/file-results.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';

const COUNT = 5_000;
const PER_TURN_MAX = 500;

/** Counts the turns of the event loop until `work` is done; it may look at how many there were. */
async function turnsOf(work: (turns: () => number) => Promise<unknown>): Promise<number> {
  let turns = 0;
  const turn = () => {
    turns += 1;
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  await work(() => turns);
  clearImmediate(next);
  return turns;
}

describe('files of thousands of payouts', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp('sqlite');
  });
  afterAll(() => app.close());

  it('are put together in parts, so that other requests have their turn', async () => {
    const madeIn: number[] = [];
    await turnsOf(async (turns) => {
      const payments = (function* () {
        for (let nth = 0; nth < COUNT; nth += 1) {
          madeIn.push(turns());
          yield `${nth}\n`;
        }
      })();
      expect(await textOf(payments)).toBe(Array.from({ length: COUNT }, (_, nth) => `${nth}\n`).join(''));
    });
    const perTurn = [...Map.groupBy(madeIn, (turn) => turn).values()].map(({ length }) => length);
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(PER_TURN_MAX);
  });

  it('are reported in one request, which is looked through in parts', async () => {
    const results = Array.from({ length: COUNT }, () => ({ id: 'pay_unknown', status: 'paid' as const, reason: null }));
    const actor = { kind: 'command_line' } as const;
    const turns = await turnsOf(async () => {
      const summary = await recordFileResults(app.service, app.accountId, { fileId: null, results, actor });
      expect(summary).toMatchObject({ unchanged: COUNT - 1, problems: [{ id: 'pay_unknown' }] });
    });
    expect(turns).toBeGreaterThanOrEqual(COUNT / PER_TURN_MAX);
  });
});
