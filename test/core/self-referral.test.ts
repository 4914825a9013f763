import { describe, expect, it } from 'vitest';
import { selfReferralFor } from '../../src/core/self-referral.ts';

const partner = { id: 'ptr_1', email: 'ada@example.com' };

describe('a purchase with the e-mail address of the partner', () => {
  it('is not detected when the rule is off', () => {
    expect(selfReferralFor('off', partner, ['ada@example.com'])).toBeNull();
  });

  it.each([
    ['flag', 'flagged'],
    ['refuse', 'rejected'],
  ] as const)('with the rule %s is %s, and the trace says why without the address', (rule, review) => {
    const found = selfReferralFor(rule, partner, [null, ' Ada@Example.com ']);
    expect(found?.review).toBe(review);
    expect(selfReferralFor(rule, { ...partner, email: 'Ada@Example.com' }, ['ada@example.com'])).toEqual(found);
    expect(found?.step).toMatchObject({ step: 'self_referral', value: 'ptr_1', result: 'noted' });
    expect(found?.step.reason).toContain("the buyer's e-mail address is the partner's");
    expect(JSON.stringify(found)).not.toContain('example.com');
  });

  it('differs from a purchase with another address, or with none', () => {
    expect(selfReferralFor('refuse', partner, ['mia@example.com', null])).toBeNull();
    expect(selfReferralFor('refuse', partner, [])).toBeNull();
  });
});
