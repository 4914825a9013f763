import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Route, route } from '../../src/app/route.ts';
import { answerProblem, type JsonAnswer, routeFinder } from './answer-problem.ts';
import { call, createTestApp } from './app.ts';

const common = { credential: 'api-key', tag: 'Test', summary: 'Test' } as const;
const lamp = z.object({ id: z.string(), price: z.object({ amount: z.int() }).nullable() });

const routes: Route[] = [
  route({
    ...common,
    operationId: 'getLamp',
    method: 'GET',
    path: '/api/lamps/:id',
    answer: lamp,
    errors: ['NOT_FOUND'],
    run: async () => ({ id: 'x', price: null }),
  }),
  route({
    ...common,
    operationId: 'listLamps',
    method: 'GET',
    path: '/api/lamps/all',
    answer: z.object({ data: z.array(lamp) }),
    otherAnswers: [{ status: 202, description: 'Later.', schema: z.object({ later: z.literal(true) }) }],
    run: async () => ({ data: [] }),
  }),
];
const find = routeFinder(routes);
const problem = (answer: Partial<JsonAnswer>) =>
  answerProblem(find, { method: 'GET', path: '/api/lamps/1', status: 200, body: null, ...answer });
const error = (code: string, details?: unknown) => ({
  error: details === undefined ? { code, message: 'Why' } : { code, message: 'Why', details },
});

describe('an answer', () => {
  it.each<Partial<JsonAnswer>>([
    { body: { id: 'x', price: { amount: 1 } } },
    { path: '/API/lamps/1/', body: { id: 'x', price: null } },
    { path: '/api/lamps/all', body: { data: [] } },
    { path: '/api/lamps/all', status: 202, body: { later: true } },
    { status: 404, body: error('NOT_FOUND') },
    { status: 401, body: error('UNAUTHORIZED') },
    { status: 400, body: error('VALIDATION_ERROR', [{ path: 'id', message: 'is required' }]) },
    { method: 'PUT', status: 405, body: error('METHOD_NOT_ALLOWED') },
    { path: '/api/nowhere', status: 404, body: error('NOT_FOUND') },
    { path: '/of/another/server', body: 1 },
  ])('matches its route: %j', (answer) => {
    expect(problem(answer)).toBeNull();
  });

  it.each<[string, Partial<JsonAnswer>]>([
    ['price.secret is not declared', { body: { id: 'x', price: { amount: 1, secret: 2 } } }],
    ['price.amount: ', { body: { id: 'x', price: { amount: 1.5 } } }],
    ['data.0.id: ', { path: '/api/lamps/all', body: { data: [{ price: null }] } }],
    ['this status is not declared', { status: 201, body: { id: 'x', price: null } }],
    ['no route declares it', { path: '/api/nowhere', body: {} }],
    ['CONFLICT is not among the errors', { status: 409, body: error('CONFLICT') }],
    ['NOT_FOUND is an error of status 404', { status: 400, body: error('NOT_FOUND') }],
    ['details are of VALIDATION_ERROR alone', { status: 400, body: error('VALIDATION_ERROR') }],
    ['error.code: ', { status: 404, body: error('ODD') }],
    ['error.hint is not declared', { status: 404, body: { error: { code: 'NOT_FOUND', message: 'x', hint: 'y' } } }],
  ])('does not match its route: %s', (message, answer) => {
    expect(problem(answer)).toContain(message);
  });
});

it('every suite fails on an answer that does not match its route', async () => {
  const leaking = route({
    ...common,
    operationId: 'leak',
    method: 'GET',
    path: '/api/leaks',
    answer: z.object({ id: z.string() }),
    run: async () => JSON.parse('{"id": "x", "secret": "y"}'),
  });
  const app = await createTestApp('sqlite', { routes: [leaking] });
  const checked = globalThis.fetch as unknown as Record<symbol, string[]>;
  await expect(call(`${app.url}/api/leaks`, 'GET', { key: app.apiKey })).rejects.toThrow('secret is not declared');
  expect(checked[Symbol.for('refbridge.checked-fetch')]?.splice(0)).toHaveLength(1);
  await app.close();
});
