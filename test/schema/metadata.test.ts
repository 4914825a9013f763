import { expect, it } from 'vitest';
import { metadataField } from '../../src/schema/fields.ts';

/** `{"note":""}` has 11 characters. */
const withNote = (character: string, characters: number) => ({ note: character.repeat(characters - 11) });

it.each(['x', '📜'])(
  'metadata may have 10,000 characters as JSON, and no more, of which each counts as one: %s',
  (character) => {
    expect(metadataField.safeParse(withNote(character, 10_000)).success).toBe(true);
    const problems = metadataField.safeParse(withNote(character, 10_001)).error?.issues.map(({ message }) => message);
    expect(problems).toEqual(['must have at most 10000 characters as JSON']);
  },
);
