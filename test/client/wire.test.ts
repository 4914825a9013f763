import { expect, expectTypeOf, it } from 'vitest';
import type { Sale } from '../../src/client/wire.ts';
import { PAYMENT_PROCESSORS } from '../../src/core/processor.ts';

it('a sale of the client may name every processor that the service accepts, and no other', () => {
  const taken: readonly NonNullable<Sale['paymentProcessor']>[] = PAYMENT_PROCESSORS;
  expectTypeOf<NonNullable<Sale['paymentProcessor']>>().toEqualTypeOf<(typeof PAYMENT_PROCESSORS)[number]>();
  expect(taken).toContain('custom');
});
