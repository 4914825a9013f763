import { describe, expect, it } from 'vitest';
import { payoutFileInput } from '../../src/payouts/file-schemas.ts';
import { parseInput } from '../../src/schema/parse.ts';

const DEBTOR = { name: 'Example Ltd', iban: 'DE89370400440532013000' };
const parse = (payoutIds: unknown[]) => parseInput(payoutFileInput, { rail: 'sepa', debtor: DEBTOR, payoutIds });

/** The ids of 5,000 payouts, of which some are replaced. */
function idsWith(replaced: (nth: number) => unknown): unknown[] {
  return Array.from({ length: 5_000 }, (_, nth) => replaced(nth) ?? `pay_${nth}`);
}

describe('thousands of ids for a payout file', () => {
  it('are all read, if at most a hundred are no texts', () => {
    expect(parse(idsWith(() => undefined)).payoutIds).toHaveLength(5_000);
    const places = [7, 3_000, 4_999];
    const message = places.map((nth) => `payoutIds.${nth}: must be a string`).join('; ');
    expect(() => parse(idsWith((nth) => (places.includes(nth) ? 0 : undefined)))).toThrow(new RegExp(`^${message}$`));
  });

  it('are not read any further, once more of them are no texts than an error names', () => {
    let readCount = 0;
    const ids = idsWith((nth) => (nth % 2 ? 0 : undefined));
    Object.defineProperty(ids, 202, { get: () => ++readCount });
    const named = /^payoutIds\.1: must be a string; .*; payoutIds\.199: must be a string; and more$/;
    expect(() => parse(ids)).toThrow(named);
    expect(readCount).toBe(0);
  });

  it('are too many, whatever they are', () => {
    const tooMany = Array.from({ length: 5_001 }, () => 0);
    expect(() => parse(tooMany)).toThrow(/^payoutIds: must have at most 5000 ids$/);
  });
});
