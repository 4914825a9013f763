import { describe, expect, it } from 'vitest';
import { type Identity, identityFrom, movesSubscription, statementOf } from '../../src/core/identity.ts';
import { hints } from '../helpers/facts.ts';
import { asId } from '../helpers/ids.ts';

const [MIA, NOOR] = [asId<'cus'>('cus_mia'), asId<'cus'>('cus_noor')];
const identity = (known: Partial<Identity> = {}): Identity => {
  return { externalId: null, clickId: null, email: null, name: null, customerId: null, ...known };
};
const AT_STRIPE = { processorCustomerId: 'cus_1', subscriptionId: 'sub_1' };
const CUSTOMER = { kind: 'customer', value: 'cus_1' } as const;
const SUBSCRIPTION = { kind: 'subscription', value: 'sub_1' } as const;

describe('a subscription whose customer is Mia', () => {
  const unnamed = identity({ customerId: MIA });
  const named = identity({ customerId: MIA, externalId: 'mia' });
  const clicked = identity({ customerId: MIA, clickId: 'clk_1' });

  it.each<[string, Identity, named: typeof MIA | null, customer: Identity | undefined, moves: boolean]>([
    ['stays with Mia', named, MIA, undefined, false],
    ['moves to another customer, though a report named Mia', named, NOOR, undefined, true],
    ['stays for somebody unknown if a report named Mia', named, null, undefined, false],
    ['…or her click', clicked, null, undefined, false],
    ['moves to somebody unknown if no report named Mia', unnamed, null, undefined, true],
    ["…or if it has her name from the processor's customer", named, null, identity({ externalId: 'mia' }), true],
    ["…but not if the processor's customer is another", named, null, identity({ externalId: 'noor' }), false],
    ['does not move while nobody is known', identity({ externalId: 'mia' }), NOOR, undefined, false],
  ])('%s', (_, subscription, somebody, customer, moves) => {
    expect(movesSubscription(subscription, somebody, customer)).toBe(moves);
  });
});

it('what hints say comes before what is stored, and of that, the first', () => {
  const said = { ...hints({ externalId: 'mia', clickId: 'clk_1', email: 'mia@example.com', name: 'Mia' }) };
  const stored = [
    identity({ externalId: 'a', clickId: 'clk_a', email: 'a@example.com', name: 'A', customerId: MIA }),
    identity({ externalId: 'b', clickId: 'clk_b', email: 'b@example.com', name: 'B', customerId: NOOR }),
  ];
  const { customerId: _, ...ofHints } = identityFrom(said, NOOR, stored);
  expect(ofHints).toEqual({ externalId: 'mia', clickId: 'clk_1', email: 'mia@example.com', name: 'Mia' });
  expect(identityFrom(said, NOOR, stored).customerId).toBe(NOOR);
  expect(identityFrom(hints({}), null, stored)).toEqual(stored[0]);
});

describe('a report of a customer and a subscription of the processor', () => {
  it('that names somebody takes over nobody, and the address only of nobody else', () => {
    const stored = [
      { kind: 'customer', ...identity({ externalId: 'noor', email: 'noor@example.com', customerId: NOOR }) },
      { kind: 'subscription', ...identity({ clickId: 'clk_1', name: 'Mia', customerId: MIA }) },
    ] as const;
    const said = hints({ ...AT_STRIPE, externalId: 'mia' });
    expect(statementOf(said, MIA, stored)).toEqual({
      keys: [CUSTOMER, SUBSCRIPTION],
      identity: identity({ externalId: 'mia', name: 'Mia', customerId: MIA }),
    });
    const unknown = [{ kind: 'customer', ...identity({ email: 'mia@example.com' }) }] as const;
    expect(statementOf(said, MIA, unknown).identity.email).toBe('mia@example.com');
  });

  it('that names nobody shares what is known, except with a subscription that a report named somebody for', () => {
    const said = hints(AT_STRIPE);
    const customer = { kind: 'customer', ...identity({ externalId: 'mia' }) } as const;
    const shared = identity({ externalId: 'mia' });
    const unnamed = { kind: 'subscription', ...identity() } as const;
    expect(statementOf(said, undefined, [customer, unnamed])).toEqual({
      keys: [CUSTOMER, SUBSCRIPTION],
      identity: shared,
    });
    const named = { kind: 'subscription', ...identity({ clickId: 'clk_1' }) } as const;
    expect(statementOf(said, undefined, [customer, named]).keys).toEqual([CUSTOMER]);
    const known = { kind: 'customer', ...identity({ externalId: 'mia', clickId: 'clk_1', customerId: MIA }) } as const;
    expect(statementOf(said, undefined, [known])).toEqual({
      keys: [CUSTOMER, SUBSCRIPTION],
      identity: identity({ customerId: MIA }),
    });
  });
});
