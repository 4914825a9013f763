import { expect, it } from 'vitest';
import { withoutAddresses } from '../../src/core/without-addresses.ts';

it.each([
  ["the user 'ana@example.com' is unknown.", "the user '[e-mail address]' is unknown."],
  ['<ana+a@example.com>, zoe@example.com.', '<[e-mail address]>, [e-mail address].'],
  ['No customer "ana%40example.com" or "ana%2540example.com"', 'No customer "[e-mail address]" or "[e-mail address]"'],
  ['nobody @ home', 'nobody @ home'],
])('an e-mail address is replaced: %s', (text, expected) => {
  expect(withoutAddresses(text)).toBe(expected);
});

it('a long text without an address takes no time', () => {
  const texts = ['x', '%25'].map((part) => part.repeat(100_000));
  const startedAt = performance.now();
  expect(texts.map((text) => withoutAddresses(text))).toEqual(texts);
  // over a minute when each character may begin an address
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});
