import { expect, it } from 'vitest';
import { z } from 'zod';
import { parseInput, parseLargeInput } from '../../src/schema/parse.ts';

const schema = z.object({ ids: z.array(z.string()) });

it.each([{ ids: ['a'] }, { ids: ['a', 1], names: [] }, { id: 'a' }, [], null])(
  'a large input is checked like any other: %j',
  async (input) => {
    const outcome = async (parse: () => unknown) => {
      try {
        return await parse();
      } catch (error) {
        return error;
      }
    };
    const expected = await outcome(() => parseInput(schema, input, { unknown: 'refuse' }));
    expect(await outcome(() => parseLargeInput(schema, input))).toEqual(expected);
  },
);

it('other requests have their turn between the unknown members and the values of a large input', async () => {
  let turns = 0;
  const turnsBefore: number[] = [];
  const watched = z.object({ ids: z.array(z.string()).refine(() => turnsBefore.push(turns) > 0) });
  setImmediate(() => (turns += 1));
  await parseLargeInput(watched, { ids: ['a'] });
  expect(turnsBefore).toEqual([1]);
});
