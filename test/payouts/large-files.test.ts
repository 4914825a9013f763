import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sealFile } from '../../src/payouts/file-contents.ts';
import { recordFileResults } from '../../src/payouts/file-results.ts';
import { cancelPayoutFile } from '../../src/payouts/files.ts';
import { insertPayoutFile } from '../../src/payouts/queries/files.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { asId } from '../helpers/ids.ts';
import { observeQueries } from '../helpers/observe-queries.ts';

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
    const sealedIn: number[] = [];
    const { sealer } = app.service;
    await turnsOf(async (turns) => {
      const payments = (function* () {
        for (let nth = 0; nth < COUNT; nth += 1) {
          madeIn.push(turns());
          yield `${nth}\n`;
        }
      })();
      const seal = (text: string) => {
        sealedIn.push(turns());
        return sealer.seal(text);
      };
      const sealed = await sealFile({ ...app.service, sealer: { ...sealer, seal } }, payments);
      sealedIn.push(turns());
      expect(sealer.open(sealed)).toBe(Array.from({ length: COUNT }, (_, nth) => `${nth}\n`).join(''));
    });
    const perTurn = [...Map.groupBy(madeIn, (turn) => turn).values()].map(({ length }) => length);
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(PER_TURN_MAX);
    const turnsBetween = [Number(sealedIn[0]) - Number(madeIn.at(-1)), Number(sealedIn[1]) - Number(sealedIn[0])];
    expect(Math.min(...turnsBetween)).toBeGreaterThanOrEqual(1);
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

  it('are not read when results are recorded, or a file is canceled', async () => {
    const id = asId<'pfl'>('pfl_large');
    const { accountId } = app;
    const named = { id, accountId, rail: 'sepa', currency: 'eur', fileName: 'a.xml', contentType: 'x' } as const;
    const made = { payoutCount: 1, amount: 1, createdAt: 1, createdBy: 'x', canceledAt: null };
    await app.service.database.write((tx) => insertPayoutFile(tx, { ...named, ...made, content: Buffer.from('x') }));
    const found: unknown[] = [];
    const service = observeQueries(app.service, (_, result) => found.push(result));
    const results = [{ id: 'pay_unknown', status: 'paid' as const, reason: null }];
    const actor = { kind: 'command_line' } as const;
    await recordFileResults(service, accountId, { fileId: id, results, actor });
    expect(await cancelPayoutFile(service, accountId, id)).toMatchObject({ id, canceledAt: expect.any(String) });
    expect(found).toContainEqual(expect.objectContaining({ id, fileName: 'a.xml' }));
    expect(found).not.toContainEqual(expect.objectContaining({ content: expect.anything() }));
  });
});
