import { describe, expect, test } from 'vitest';
import { distinct, readEmail, readMetadata, readText } from '../../adapters/contract/readers.ts';

describe('what a merchant wrote', () => {
  test.each([
    ['  user_7 ', 'user_7'],
    [42, '42'],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
    ['x'.repeat(255), 'x'.repeat(255)],
    ['x'.repeat(256), null],
    ['📜'.repeat(255), '📜'.repeat(255)],
    ['📜'.repeat(256), null],
    ['   ', null],
    ['null', null],
    ['undefined', null],
    ['user\0', null],
    ['user\uD800', null],
    [true, null],
    [null, null],
    [{}, null],
  ])('is read from %j as %j', (value, expected) => {
    expect(readText(value)).toBe(expected);
  });

  test.each([
    [' Mara@Example.com ', 'mara@example.com'],
    ['mara', null],
    [7, null],
    [null, null],
  ])('is read from %j as the address %j', (value, expected) => {
    expect(readEmail(value)).toBe(expected);
  });

  test('in several places counts once, at the first of them', () => {
    const places = [
      { place: 'first', metadata: { svcCustomerExternalId: 'user_7' } },
      { place: 'second', metadata: { svcCustomerExternalId: 7, svc_id: 'clk_1' } },
      { place: 'third', metadata: { svcCustomerExternalId: 'user_7', svc_id: null } },
      { place: 'inherited', metadata: Object.create({ svcCustomerExternalId: 'user_8' }) },
      ...[null, undefined, 'svcCustomerExternalId', 7].map((metadata) => ({ place: 'odd', metadata })),
    ];
    expect(readMetadata(places)).toEqual({
      externalIds: [
        { value: 'user_7', place: 'first.svcCustomerExternalId' },
        { value: '7', place: 'second.svcCustomerExternalId' },
      ],
      clickIds: [{ value: 'clk_1', place: 'second.svc_id' }],
    });
  });
});

test('references are kept in order, without repetitions and without empty ones', () => {
  expect(distinct(['pi_1', null, '', 'ch_1', undefined, 'pi_1'])).toEqual(['pi_1', 'ch_1']);
});
