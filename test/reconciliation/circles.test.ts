import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Progress, progressAfter } from '../../src/reconciliation/progress.ts';
import { engines } from '../helpers/databases.ts';
import { unique } from '../helpers/story.ts';
import { checkoutCompleted } from '../helpers/stripe-payloads.ts';
import { createStage, type Stage, write } from './stage.ts';

/** Reads pages with these cursors until the list is found to have no end; returns how many pages were read. */
function readUntilNoticed(cursorOf: (page: number) => string, pagesMax: number): number | null {
  let progress: Progress = { pageCount: 0, markedCursor: null };
  let cursor: string | null = null;
  for (let page = 0; page < pagesMax; page += 1) {
    const next = cursorOf(page);
    try {
      progress = progressAfter({ ...progress, cursor }, next);
    } catch {
      return page + 1;
    }
    cursor = next;
  }
  return null;
}

describe('a list that goes round in a circle', () => {
  it('is noticed, however long it is and however late it begins', () => {
    const lengths = fc.tuple(fc.nat(200), fc.integer({ min: 1, max: 200 }));
    fc.assert(
      fc.property(lengths, ([before, length]) => {
        const cursorOf = (page: number) => String(page < before ? page : before + ((page - before) % length));
        const noticed = readUntilNoticed(cursorOf, 10_000);
        expect(noticed).not.toBeNull();
        expect(noticed).toBeGreaterThan(before + length);
        expect(noticed).toBeLessThanOrEqual(3 * (before + length) + 1);
      }),
    );
  });

  it('is none as long as every cursor is new', () => {
    expect(readUntilNoticed(String, 100_000)).toBeNull();
  });

  it('is taken for one after a million pages', () => {
    const before = { pageCount: 999_999, markedCursor: 'mark', cursor: 'one' };
    expect(() => progressAfter(before, 'two')).toThrow(/more than 1000000 pages/);
  });
});

describe.each(engines)('a list that goes round in a circle, on %s,', (engine) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await createStage(engine);
  });
  afterAll(() => stage.app.close());

  it.each([
    ['books what it lists once, and then says what is wrong', false],
    ['counts what it lists once, and then says what is wrong, in a dry run', true],
  ])('%s', async (_name, dryRun) => {
    const payers = [1, 2, 3, 4, 5, 6].map(() => unique('user'));
    for (const payer of payers) await stage.referrer.lead(payer);
    write(stage.past, ...payers.map((externalId) => checkoutCompleted({ externalId })));
    // after the last page comes the second one
    stage.past.nextOf = (cursor) => (cursor === null ? '2' : cursor);
    const run = await stage.reconcile({ dryRun });
    expect(run).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(
        /lists the same pages again and again: what was found until then stays. Check apiUrl/,
      ),
      counts: { sales: 6, failed: 0, other: 0 },
    });
    expect(stage.past.requests.length).toBeLessThan(12);
    const { read, ...others } = run.counts;
    expect(Object.values(others).reduce((sum, count) => sum + count, 0)).toBe(read);
  });
});
