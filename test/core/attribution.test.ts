import { describe, expect, it } from 'vitest';
import { addReported, candidatesFor, stepMatched, stepNotFound } from '../../src/core/attribution.ts';
import type { CustomerHints } from '../../src/core/facts.ts';

const NOBODY: CustomerHints = {
  externalIds: [],
  clickIds: [],
  processorCustomerId: null,
  subscriptionId: null,
  email: null,
  name: null,
};

describe('the candidates for a payment', () => {
  it('are ordered by strength', () => {
    const hints: CustomerHints = {
      externalIds: [
        { value: 'user_1', place: 'session.metadata' },
        { value: 'user_2', place: 'customer.metadata' },
      ],
      clickIds: [{ value: 'clk_1', place: 'client_reference_id' }],
      processorCustomerId: 'cus_1',
      subscriptionId: 'sub_1',
      email: 'ada@example.com',
      name: 'Ada Example',
    };
    expect(candidatesFor(hints, ['ADA20']).map(({ step, value }) => [step, value])).toEqual([
      ['external_id', 'user_1'],
      ['external_id', 'user_2'],
      ['metadata_click_id', 'clk_1'],
      ['processor_customer', 'sub_1'],
      ['processor_customer', 'cus_1'],
      ['discount_code', 'ADA20'],
      ['email', 'ada@example.com'],
    ]);
  });

  it('are empty for a payment without hints', () => {
    expect(candidatesFor(NOBODY, [])).toEqual([]);
  });

  it('include the codes given with the subscription, then with the customer, and the reported address last', () => {
    const codes = (...given: string[]) => given.map((code, rank) => ({ code, givenAt: 0, rank }));
    const stored = [
      { kind: 'customer' as const, givenCodes: codes('CUSTOMER') },
      { kind: 'subscription' as const, givenCodes: codes('FIRST', 'SECOND') },
    ];
    const reported = (email: string | null, reportedEmail: string | null) => {
      const candidates = candidatesFor({ ...NOBODY, processorCustomerId: 'cus_1', email }, ['OWN']);
      addReported(candidates, stored, reportedEmail);
      return candidates.map(({ value }) => value);
    };
    const own = ['cus_1', 'OWN'];
    const given = ['FIRST', 'SECOND', 'CUSTOMER'];
    expect(reported('ada@example.com', 'a@example.com')).toEqual([
      ...own,
      ...given,
      'ada@example.com',
      'a@example.com',
    ]);
    expect(reported(null, 'a@example.com')).toEqual([...own, ...given, 'a@example.com']);
    expect(reported('ada@example.com', null)).toEqual([...own, ...given, 'ada@example.com']);
    expect(reported(null, null)).toEqual([...own, ...given]);
  });

  it('leave a line in the trace that says which value was looked up, found or not', () => {
    const [candidate] = candidatesFor({ ...NOBODY, externalIds: [{ value: 'user_1', place: 'session.metadata' }] }, []);
    if (candidate === undefined) throw new Error('There is a candidate');
    expect(stepMatched(candidate, 'partner ptr_1')).toEqual({
      step: 'external_id',
      value: 'user_1',
      result: 'matched',
      reason: 'session.metadata: partner ptr_1',
    });
    expect(stepNotFound(candidate)).toEqual({
      step: 'external_id',
      value: 'user_1',
      result: 'not_found',
      reason: 'session.metadata: no lead or sale has named this customer yet',
    });
  });
});
