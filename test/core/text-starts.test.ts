import { describe, expect, it } from 'vitest';
import { RANGES_MAX, rangeOfPrefix, rangesOfStart, type TextRange } from '../../src/core/text-starts.ts';
import { rounds } from '../helpers/rounds.ts';

/** As both engines compare: by code points, which UTF-8 keeps in order. */
const isIn = (text: string, { from, to }: TextRange) =>
  Buffer.compare(Buffer.from(text), Buffer.from(from)) >= 0 && Buffer.compare(Buffer.from(text), Buffer.from(to)) < 0;
const folded = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
const isFoundIn = (name: string, ranges: TextRange[]) => ranges.some((range) => isIn(folded(name), range));

// characters with several lower cases, longer upper cases, and others around the surrogates
const CHARACTERS = [
  ...'aAsSiIfFtTlLnNkK ß ſ ı ŉ ﬀ ﬁ ﬃ ﬅ ﬆ ẞ ΐ ᾳ Σ σ ς É é е Е İ K 東 \u{d7ff} \u{e000} \u{10400} \u{10428} \u{10ffff}',
];
const pick = () => CHARACTERS[Math.floor(Math.random() * CHARACTERS.length)] ?? '';
const random = (length: number) => Array.from({ length: Math.ceil(Math.random() * length) }, pick).join('');

describe('the ranges of a start in any case', () => {
  it.each([
    ['Hana', ['hana', 'HANAU', 'hAnA Ä'], ['han', 'hanb', 'ana', 'Ĥana']],
    ['strasse', ['Straße 1', 'STRASSE', 'ſtraſſe'], ['strb', 'ztrasse']],
    ['Σ', ['σ', 'ς', 'Σοφία'], ['s']],
    ['Élan', ['ÉLAN', 'élan vital'], ['Elan']],
    ['f', ['F', 'ﬁona', 'ﬀ'], ['g']],
  ])('%s', (search, found, others) => {
    const ranges = rangesOfStart(search);
    expect(found.filter((name) => !isFoundIn(name, ranges))).toEqual([]);
    expect(others.filter((name) => isFoundIn(name, ranges))).toEqual([]);
  });

  it('contain every text that begins with it, and are few', () => {
    for (let round = 0; round < rounds(100_000); round += 1) {
      const search = random(6);
      const name = Math.random() < 0.5 ? random(8) : withOtherCases(search) + random(2);
      const ranges = rangesOfStart(search);
      expect(ranges.length).toBeLessThanOrEqual(RANGES_MAX);
      if (!name.toUpperCase().startsWith(search.toUpperCase())) continue;
      expect({ search, name, isFound: isFoundIn(name, ranges) }).toEqual({ search, name, isFound: true });
    }
  });

  it('do not overlap, so that no row is found twice', () => {
    for (const search of ['Jessica', 'straße', 'fi', 'ſſſ', 'iiii']) {
      const ranges = rangesOfStart(search);
      for (const range of ranges) {
        expect(ranges.filter((other) => isIn(range.from, other)).map(({ from }) => from)).toEqual([range.from]);
      }
    }
  });

  it('exist for every character', () => {
    const wrong: string[] = [];
    for (let code = 0; code <= 0x10ffff; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const character = String.fromCodePoint(code);
      const upper = character.toUpperCase();
      const lower = character.toLowerCase();
      // most characters have neither, and are found like this one
      if (upper === character && lower === character && code % 1_000 !== 0) continue;
      const ranges = rangesOfStart(character);
      const names = [character, ...[upper, lower].filter((other) => other.toUpperCase().startsWith(upper))];
      if (ranges.length > RANGES_MAX || !names.every((name) => isFoundIn(name, ranges))) wrong.push(character);
    }
    expect(wrong).toEqual([]);
  });

  it('end before the next text, also around the surrogates and the last character', () => {
    expect(rangeOfPrefix('a')).toEqual({ from: 'a', to: 'b' });
    expect(rangeOfPrefix('a\u{d7ff}')).toEqual({ from: 'a\u{d7ff}', to: 'a\u{e000}' });
    expect(rangeOfPrefix('a\u{10ffff}')).toEqual({ from: 'a\u{10ffff}', to: 'b' });
    expect(['\u{10ffff}', '\u{10ffff}\u{10ffff}a', 'z'].map((text) => isIn(text, rangeOfPrefix('\u{10ffff}')))).toEqual(
      [...[true, true, false]],
    );
  });
});

function withOtherCases(text: string): string {
  return [...text].map((one) => (Math.random() < 0.5 ? one.toLowerCase() : one.toUpperCase())).join('');
}
