import { beforeEach, describe, expect, it } from 'vitest';
import { Selection } from '../../../src/web/dashboard/data/selection.ts';

let selection: Selection;
const chosen = () => [...selection.read()].join('');
beforeEach(() => {
  selection = new Selection();
  selection.show(['a', 'b', 'c', 'd', 'e']);
});

describe('a selection', () => {
  it('selects rows one by one, and deselects them', () => {
    selection.press('b');
    selection.press('d');
    selection.press('b');
    expect(chosen()).toBe('d');
  });

  it('selects a range in either direction, and deselects a range', () => {
    selection.press('d');
    selection.press('b', true);
    expect(chosen().split('').sort().join('')).toBe('bcd');
    selection.press('c', true);
    expect(chosen()).toBe('d');
  });

  it('selects one row when a range has no start', () => {
    selection.press('c', true);
    expect(chosen()).toBe('c');
    selection.clear();
    selection.press('e', true);
    expect(chosen()).toBe('e');
  });

  it('selects all, the rest, and none', () => {
    selection.press('c');
    selection.pressAll();
    expect(selection.read().size).toBe(5);
    selection.pressAll();
    expect(selection.read().size).toBe(0);
  });

  it('drops rows that are gone, and keeps those when others are inserted between', () => {
    selection.press('a');
    selection.press('c');
    selection.show(['new', 'c', 'd']);
    expect(chosen()).toBe('c');
  });

  it('notifies its listeners, with a new set each time', () => {
    const seen: number[] = [];
    const stop = selection.subscribe(() => seen.push(selection.read().size));
    const before = selection.read();
    selection.press('a');
    selection.show(['a', 'b']);
    selection.remove('a');
    stop();
    selection.press('b');
    expect(seen).toEqual([1, 0]);
    expect(selection.read()).not.toBe(before);
  });
});
