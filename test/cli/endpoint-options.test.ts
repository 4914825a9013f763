import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { addMemberOptions, changesOf, membersOf, TEXT_MEMBERS } from '../../src/cli/endpoint-options.ts';
import { ENDPOINT_MEMBERS } from '../../src/deliveries/endpoint-members.ts';

function parse(...words: string[]): Record<string, unknown> {
  const command = addMemberOptions(new Command()).exitOverride();
  return membersOf(command.parse(words, { from: 'user' }).opts());
}

describe('the options of an endpoint', () => {
  it('exist for every setting and secret that an adapter declares', () => {
    const names = addMemberOptions(new Command()).options.map((option) => option.attributeName());
    const declared = ENDPOINT_MEMBERS.map(({ name }) => name).filter((name) => name !== 'secrets');
    expect([...new Set(names)]).toEqual(declared);
    expect(TEXT_MEMBERS.map(({ name }) => name)).toEqual(['shopDomain', 'authorization']);
  });

  it('set the given members, and no others', () => {
    expect(parse()).toEqual({});
    expect(parse('--shop-domain', 'fern.myshopify.com', '--accept-test-events')).toEqual({
      shopDomain: 'fern.myshopify.com',
      acceptTestEvents: true,
    });
    expect(parse('--no-accept-test-events', '--count-stores', 'APP_STORE, STRIPE')).toEqual({
      acceptTestEvents: false,
      countStores: ['APP_STORE', 'STRIPE'],
    });
  });

  it('remove in a change what is `none`', () => {
    const command = addMemberOptions(new Command()).exitOverride();
    const words = [
      '--authorization',
      'none',
      '--shop-domain',
      'none',
      '--count-stores',
      'none',
      '--accept-test-events',
    ];
    expect(changesOf(command.parse(words, { from: 'user' }).opts())).toEqual({
      authorization: null,
      shopDomain: null,
      countStores: null,
      acceptTestEvents: true,
    });
    expect(() => changesOf({ countStores: ['none', 'STRIPE'] })).toThrow('give it alone');
  });

  it('name their processors, unless all processors have them', () => {
    const described = Object.fromEntries(
      addMemberOptions(new Command()).options.map(({ flags, description }) => [flags, description]),
    );
    expect(described['--shop-domain <domain>']).toMatch(/^shopify: the shop/);
    expect(described['--count-stores <stores>']).toMatch(/^revenuecat: .*, comma-separated$/);
    expect(described['--accept-test-events']).toMatch(/^count test purchases/);
  });
});
