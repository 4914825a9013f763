import { expect, test } from 'vitest';
import { z } from 'zod';
import { interpretAs } from '../../adapters/contract/interpret-as.ts';

const schema = z.object({ id: z.string('must be text'), total: z.object({ amount: z.number('must be a number') }) });
const interpret = (data: unknown) =>
  interpretAs('order.paid', schema, data, ({ id }) => ({ kind: 'ignored', reason: `read ${id}` }));

test('data with the described shape is interpreted', () => {
  expect(interpret({ id: 'ord_1', total: { amount: 1 } })).toEqual({ kind: 'ignored', reason: 'read ord_1' });
});

test.each([
  [null, 'it is not a JSON object'],
  ['text', 'it is not a JSON object'],
  [{ id: 'ord_1', total: { amount: 'secret' } }, 'total.amount: must be a number'],
  [{ id: 7, total: { amount: null } }, 'id: must be text; total.amount: must be a number'],
])('%j is unknown, and the reason names members but no values', (data, problems) => {
  expect(interpret(data)).toEqual({ kind: 'unknown', reason: `order.paid has an unexpected form: ${problems}` });
});

test('when there are many problems, the first are named and the others counted', () => {
  const wide = z.object(Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`m${n}`, z.string('must be text')])));
  expect(interpretAs('order.paid', wide, {}, () => ({ kind: 'ignored', reason: '' }))).toMatchObject({
    reason: expect.stringMatching(/: m0: must be text; .*m4: must be text; and 35 more$/),
  });
});
