import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import type { Route } from '../../src/app/route.ts';
import { createRoutes } from '../../src/http/routes.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { expectError } from '../helpers/expect-error.ts';
import { createOperator, freshAddress, type SignedIn } from '../helpers/operators.ts';
import { openConnection } from '../helpers/raw-connection.ts';
import { someOf } from '../helpers/rounds.ts';

const REFUSED = [400, 401, 404];
const routes: readonly Route[] = createRoutes().filter(({ credential }) => credential !== 'signature');
const pathOf = (path: string, value: string) => path.replaceAll(/:\w+/g, value);
const membersOf = (schema: z.ZodType | undefined) => Object.keys((schema as z.ZodObject | undefined)?.shape ?? {});

// PostgreSQL refuses NUL, SQLite does not: both must answer the same
describe.each(engines)('a NUL on %s', (engine) => {
  let app: TestApp;
  let asOwner: SignedIn['call'];
  beforeAll(async () => {
    app = await createTestApp(engine, { trustProxy: 1 });
    asOwner = (await createOperator(app)).call;
  });
  /** Calls the route with its credential, from a new address. */
  const callRoute = ({ method, credential }: Route, path: string, body?: unknown) => {
    const options = { headers: freshAddress(), ...(body === undefined ? {} : { body }) };
    return credential === 'session' ? asOwner(method, path, options) : app.call(method, path, options);
  };
  afterAll(() => app.close());

  const withParameters = routes.filter(({ path }) => path.includes(':'));
  it.each(withParameters.map((route) => [route.method, route.path, route] as const))(
    'in the path of %s %s is refused',
    async (method, path, route) => {
      const body = method === 'GET' || method === 'DELETE' ? undefined : {};
      const answer = await callRoute(route, pathOf(path, 'a%00b'), body);
      expect(REFUSED).toContain(answer.status);
    },
  );

  const withQuery = routes.flatMap((route) =>
    membersOf(route.query).map((name) => [route.method, route.path, name, route] as const),
  );
  it.each(withQuery)('in the query of %s %s as %s is refused', async (_method, path, name, route) => {
    const answer = await callRoute(route, `${pathOf(path, 'x')}?${name}=a%00b`);
    expect(REFUSED).toContain(answer.status);
  });

  const withBody = routes.filter(({ body, patch }) => body !== undefined || patch !== undefined);
  it.each(withBody.map((route) => [route.method, route.path, route] as const))(
    'in the body of %s %s is refused, in any member',
    async (_method, path, route) => {
      for (const name of someOf([...membersOf(route.body ?? route.patch), 'unknown'])) {
        for (const value of ['a\0b', { a: 'a\0b' }, { 'a\0b': 1 }, ['a\0b']]) {
          const answer = await callRoute(route, pathOf(path, 'x'), { [name]: value });
          expect(REFUSED, `${name}: ${answer.text}`).toContain(answer.status);
        }
      }
    },
  );

  it('in metadata is reported with its path', async () => {
    const body = { clickId: 'c', customerExternalId: 'x', metadata: { list: [{ note: 'a\0b' }] } };
    const answer = await app.call('POST', '/api/track/lead', { body });
    expectError(answer, 400, 'VALIDATION_ERROR');
    expect(answer.body.error.message).toBe('metadata.list.0.note: must not contain NUL');
  });

  it('in a header is not valid HTTP', async () => {
    const connection = openConnection(app.url);
    connection.socket.write('GET /api/links HTTP/1.1\r\nHost: x\0y\r\n\r\n');
    expect(await connection.ended).toContain('400 Bad Request');
  });
});
