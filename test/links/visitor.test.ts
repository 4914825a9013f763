import { afterAll, beforeAll, expect, it } from 'vitest';
import { visitorOf } from '../../src/links/visitor.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/databases.ts';
import { createTestService } from '../helpers/service.ts';
import { VISITOR } from '../helpers/story.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase('sqlite');
});
afterAll(() => test.remove());

it.each([
  ['desktop', VISITOR],
  ['mobile', 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 Version/18.6 Mobile/15E148'],
  ['mobile', 'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36'],
  ['tablet', 'Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) AppleWebKit/605.1.15 Version/18.6 Mobile/15E148'],
  ['tablet', 'Mozilla/5.0 (Linux; Android 15; SM-X910) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36'],
])('a visitor comes with a device of the class %s: %s', (device, userAgent) => {
  const request = {
    method: 'GET',
    url: '/mia',
    headers: { 'user-agent': userAgent },
    address: '203.0.113.7',
    isProxied: false,
  };
  const service = createTestService({ database: test.database });
  expect(visitorOf(service, request)).toMatchObject({ device });
});
