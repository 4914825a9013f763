import { describe, expect, it } from 'vitest';
import { untilIdle } from '../../src/app/until-idle.ts';

/** Work of `steps` pieces, one at a time. */
function createWork(steps: number) {
  const underWay = new Set<Promise<void>>();
  const work = { done: 0, searches: 0 };
  const beginDue = async () => {
    work.searches += 1;
    if (underWay.size > 0 || work.done === steps) return 0;
    const step: Promise<void> = Promise.resolve().then(() => {
      work.done += 1;
      underWay.delete(step);
    });
    underWay.add(step);
    return 1;
  };
  return { work, underWay, beginDue };
}

describe('work that begins as long as more is due', () => {
  it('searches once when nothing is', async () => {
    const { work, underWay, beginDue } = createWork(0);
    await untilIdle({ underWay, beginDue, lookMs: 1 });
    expect(work).toMatchObject({ done: 0, searches: 1 });
  });

  it('goes on with what became due during a search that found nothing', async () => {
    const underWay = new Set<Promise<void>>();
    let [begun, isDue] = [0, true];
    const beginDue = async () => {
      if (!isDue) {
        // nothing is due yet as this search sees it; meanwhile, what is under way ends, and makes more due
        if (begun < 3) isDue = true;
        underWay.clear();
        return 0;
      }
      [begun, isDue] = [begun + 1, false];
      underWay.add(new Promise(() => {}));
      return 1;
    };
    await untilIdle({ underWay, beginDue, lookMs: 1 });
    expect(begun).toBe(3);
  });

  it('ends when all has ended', async () => {
    const { work, underWay, beginDue } = createWork(5);
    await untilIdle({ underWay, beginDue, lookMs: 60_000 });
    expect(work.done).toBe(5);
    expect(underWay.size).toBe(0);
  });
});
