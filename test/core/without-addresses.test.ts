import { expect, it } from 'vitest';
import { withoutAddresses } from '../../src/core/without-addresses.ts';

it.each([
  ["the user 'ana@example.com' is unknown.", "the user '[e-mail address]' is unknown."],
  ['<ana+a@example.com>, zoe@example.com.', '<[e-mail address]>, [e-mail address].'],
  ['nobody @ home', 'nobody @ home'],
])('an e-mail address is replaced: %s', (text, expected) => {
  expect(withoutAddresses(text)).toBe(expected);
});

it('a long text without an address takes no time', () => {
  const text = 'x'.repeat(100_000);
  const startedAt = performance.now();
  expect(withoutAddresses(text)).toBe(text);
  // over a minute when each character may begin an address
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});
