import { expect, it } from 'vitest';
import { jsonInParts } from '../../src/privacy/json-in-parts.ts';

it('a long text of an item is sent in parts, too', async () => {
  const items = [{ id: 1 }, { id: 2, body: '"'.repeat(1_000_000), reason: null }, { id: 3 }];
  const parts: string[] = [];
  for await (const part of jsonInParts({ externalId: 'user_1' }, { deliveries: items, clicks: [] })) parts.push(part);
  expect(JSON.parse(parts.join(''))).toEqual({ externalId: 'user_1', deliveries: items, clicks: [] });
  expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(200_000);
});
