import { beforeEach, describe, expect, it } from 'vitest';
import { Selection } from '../../../src/web/dashboard/data/selection.ts';

let selection: Selection;
const chosen = () => [...selection.read()].join('');
beforeEach(() => {
  selection = new Selection();
  selection.show(['a', 'b', 'c', 'd', 'e']);
});

describe('a selection', () => {
  it('chooses rows one by one, and takes the choice back', () => {
    selection.press('b');
    selection.press('d');
    selection.press('b');
    expect(chosen()).toBe('d');
  });

  it('chooses a range in either direction, and takes a range back', () => {
    selection.press('d');
    selection.press('b', true);
    expect(chosen().split('').sort().join('')).toBe('bcd');
    selection.press('c', true);
    expect(chosen()).toBe('d');
  });

  it('chooses one row where a range has no beginning', () => {
    selection.press('c', true);
    expect(chosen()).toBe('c');
    selection.clear();
    selection.press('e', true);
    expect(chosen()).toBe('e');
  });

  it('chooses all, the rest, and none', () => {
    selection.press('c');
    selection.pressAll();
    expect(selection.read().size).toBe(5);
    selection.pressAll();
    expect(selection.read().size).toBe(0);
  });

  it('forgets rows that are gone, and keeps those that come in between', () => {
    selection.press('a');
    selection.press('c');
    selection.show(['new', 'c', 'd']);
    expect(chosen()).toBe('c');
  });

  it('tells who listens, with another set each time', () => {
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
