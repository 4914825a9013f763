import { expect, it } from 'vitest';
import { z } from 'zod';
import { pageOfSchema } from '../../src/app/page.ts';
import { route } from '../../src/app/route.ts';
import { listAsJson } from '../../src/http/list-in-parts.ts';
import { createTestApp } from '../helpers/app.ts';
import { turnsOf } from '../helpers/turns-of.ts';

const LARGE = { text: '"é\n'.repeat(50_000) };
const long = { data: Array.from({ length: 20 }, () => LARGE), nextCursor: 'cur_1' };

it('a short list is one text, whatever else is in it', () => {
  for (const list of [
    { data: [] },
    { data: [], nextCursor: null },
    { from: '2026-11-01', to: undefined, data: [{ id: 1 }], totals: { a: 1 } },
    { data: [{ id: 1 }, { id: '"' }], nextCursor: 'x', extra: { a: [1] } },
    { data: [LARGE, LARGE], nextCursor: null },
  ])
    expect(listAsJson(list)).toBe(`${JSON.stringify(list)}\n`);
});

it('other requests have their turn between the parts of a long list', async () => {
  const parts: string[] = [];
  const turns = await turnsOf(async () => {
    for await (const part of listAsJson(long) as AsyncIterable<string>) parts.push(part);
  });
  expect(parts.join('')).toBe(`${JSON.stringify(long)}\n`);
  expect(parts.length).toBeGreaterThan(5);
  expect(turns).toBeGreaterThanOrEqual(parts.length - 2);
});

it('a client receives a long list whole, and no body for HEAD', async () => {
  const routes = [
    route({
      operationId: 'listLarge',
      method: 'GET',
      path: '/api/large',
      credential: 'public',
      tag: 'Test',
      summary: 'List large items',
      answer: pageOfSchema(z.object({ text: z.string() }), 'LargeList'),
      run: async () => long,
    }),
  ];
  const app = await createTestApp('sqlite', { routes });
  const answer = await fetch(`${app.url}/api/large`);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.headers.get('content-length')).toBe(null);
  expect(await answer.json()).toEqual(long);
  const head = await fetch(`${app.url}/api/large`, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  await app.close();
});
