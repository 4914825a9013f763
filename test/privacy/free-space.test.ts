import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { backupDatabase } from '../../src/storage/sqlite/backup.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { createEndpoint, createReferrer, unique } from '../helpers/story.ts';
import { checkoutCompleted } from '../helpers/stripe-payloads.ts';
import { sweep } from './sweep.ts';

let app: TestApp;
let folder: string;
beforeAll(async () => {
  app = await createTestApp('sqlite');
  folder = await mkdtemp(join(tmpdir(), 'refbridge-'));
});
afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true });
});

const isInCopy = async (email: string) => {
  const path = join(folder, unique('copy'));
  await backupDatabase(app.databaseUrl.replace('file:', ''), path, { verify: true });
  return (await readFile(path)).includes(email);
};

it('a backup of a SQLite file contains nothing of an erased person, also not in its free space', async () => {
  const referrer = await createReferrer(app);
  const stripe = await createEndpoint(app, 'stripe');
  const customer = unique('user');
  const email = `${customer}@example.com`;
  const hooks = { url: 'https://hooks.example.com/in', types: ['lead.created', 'sale.created'] };
  expect((await app.call('POST', '/api/event-endpoints', { body: hooks })).status).toBe(201);
  await referrer.lead(customer, {
    customerEmail: email,
    customerName: email.repeat(5),
    metadata: { note: email.repeat(100) },
  });
  const paid = checkoutCompleted({ externalId: customer });
  // as long as a body with all of its fields
  const object = { ...paid.data.object, customer_email: email, description: email.repeat(200) };
  expect((await stripe.deliver({ ...paid, data: { object } })).body.outcome).toBe('sale');
  expect(await isInCopy(email)).toBe(true);

  expect((await app.call('DELETE', `/api/customers/${customer}/personal-data`)).status).toBe(204);
  await sweep(app.service);
  expect(await isInCopy(email)).toBe(false);
});
