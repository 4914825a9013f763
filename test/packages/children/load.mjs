// Loads every entry point of the client, as an ES module and as CommonJS, and makes calls with it. This file is copied
// into the folder in which the package is installed. Usage: node load.mjs <url of a service>
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

const [, , url] = process.argv;
const require = createRequire(import.meta.url);
const NAMES = ['.', './file-queue', './middleware', './better-auth'].map((entry) =>
  entry.replace('.', '@refbridge/client'),
);

async function use(kind, [client, fileQueue, middleware, betterAuth]) {
  const { createClient, NotFoundError, RefbridgeError } = client;
  const refbridge = createClient({ baseUrl: url, apiKey: 'rb_live_example', timeoutMs: 20_000 });
  const names = [];
  for await (const { name } of refbridge.partners.list()) names.push(name);
  assert.deepEqual(names, ['Anna', 'Ben'], kind);
  const error = await refbridge.partners.get('ptr_unknown').catch((thrown) => thrown);
  assert(error instanceof NotFoundError && error instanceof RefbridgeError, `${kind}: ${error}`);
  const result = await refbridge.trackLead({ clickId: 'clk_1', eventName: 'Sign up', customerExternalId: 'user_1' });
  assert.equal(result.status, 'recorded', kind);
  assert.match(middleware.clickCookie({ url: '/?svc_id=clk_1', headers: {} }), /^svc_id=clk_1;/);
  assert.equal(betterAuth.refbridge({ client: refbridge }).id, 'refbridge');
  assert.deepEqual(await fileQueue.createFileQueue(`${import.meta.dirname}/none.json`).load(), []);
}

await use(
  'CommonJS',
  NAMES.map((name) => require(name)),
);
await use('ES modules', await Promise.all(NAMES.map((name) => import(name))));
process.stdout.write(`${process.versions.node}\n`);
