import { describe, expect, it } from 'vitest';
import { disputeIdIn, distinctDisputes } from '../../src/core/dispute-report.ts';
import type { DisputeState } from '../../src/core/facts.ts';

describe('reports of one dispute in two currencies', () => {
  const reportOf = (disputeId: string, state: DisputeState, occurredAt: number) => ({
    processor: 'stripe',
    disputeId,
    state,
    occurredAt,
  });

  it('are stored apart from the first one, which has the id of the dispute', () => {
    expect(disputeIdIn('usd', 'du_1', undefined)).toBe('du_1');
    expect(disputeIdIn('usd', 'du_1', { currency: 'usd' })).toBe('du_1');
    expect(disputeIdIn('gbp', 'du_1', { currency: 'usd' })).toBe('du_1#gbp');
  });

  it.each([
    ['a verdict over an open dispute', reportOf('du_1', 'lost', 1), reportOf('du_1#gbp', 'open', 2)],
    ['the later verdict', reportOf('du_1', 'lost', 2), reportOf('du_1#gbp', 'won', 1)],
    ['won at the same time', reportOf('du_1', 'won', 1), reportOf('du_1#gbp', 'lost', 1)],
    ['the later one while it is open', reportOf('du_1', 'open', 2), reportOf('du_1#gbp', 'open', 1)],
  ])('count once, in whichever order they are read: %s', (_, one, other) => {
    expect(distinctDisputes([one, other])).toEqual([one]);
    expect(distinctDisputes([other, one])).toEqual([one]);
  });

  it('are no dispute of another processor', () => {
    const ofPaddle = { ...reportOf('du_1', 'open', 1), processor: 'paddle' };
    expect(distinctDisputes([reportOf('du_1', 'lost', 1), ofPaddle])).toHaveLength(2);
  });
});
