import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SEALED_COLUMNS } from '../../src/app/sealed-columns.ts';
import { changeEventEndpoint } from '../../src/events/endpoints.ts';
import { createSealer } from '../../src/process/sealer.ts';
import { SEALED_TABLES } from '../../src/sealing/queries/sealed.ts';
import { countSealed, reencrypt } from '../../src/sealing/sealed-values.ts';
import type { Database, SqlParameters, Transaction } from '../../src/storage/database.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { runPayouts, sell } from '../helpers/earning.ts';
import { addConnection } from '../helpers/rail-connections.ts';
import { TEST_SECRET_KEY } from '../helpers/secret-key.ts';
import { createTestService } from '../helpers/service.ts';
import { createReferrer } from '../helpers/story.ts';
import { tablesOf } from '../privacy/tables-of.ts';

const NEW_KEY = Buffer.alloc(32, 8);
const UNKNOWN = createSealer(Buffer.alloc(32, 9));
/** More than fit into one unit of work. */
const PARTNERS = 45;

/** Runs `interfere` once, right before the first unit of work. */
function interruptedBy(database: Database, interfere: () => Promise<unknown>): Database {
  let isFirst = true;
  return {
    ...database,
    engine: database.engine,
    schemaVersion: database.schemaVersion,
    read: (unit) => database.read(unit),
    async write(unit, options) {
      if (isFirst) await interfere();
      isFirst = false;
      return database.write(unit, options);
    },
  };
}

describe.each(engines)('what is encrypted, after a change of the key, on %s', (engine) => {
  let app: TestApp;
  let partnerIds: string[];
  let fileId: string;
  let endpointId: string;
  let eventEndpointId: string;
  beforeAll(async () => {
    app = await createTestApp(engine);
    const referrer = await createReferrer(app);
    const paid = await app.call('PUT', `/api/partners/${referrer.partnerId}/payout-details`, {
      body: { rail: 'paypal', email: 'ana.pays@example.com' },
    });
    expect(paid.status, paid.text).toBe(200);
    await sell(app, referrer);
    await runPayouts(app, { at: '2099-12-31' });
    fileId = (await app.call('POST', '/api/payouts/files', { body: { rail: 'paypal' } })).body.id;
    const secrets = { secrets: ['whsec_example'] };
    endpointId = (await app.call('POST', '/api/webhook-endpoints', { body: { processor: 'stripe', ...secrets } })).body
      .id;
    const receiver = { url: 'https://example.com/events', types: ['sale.created'] };
    eventEndpointId = (await app.call('POST', '/api/event-endpoints', { body: receiver })).body.id;
    await addConnection(app.service, app.accountId, 'sk_test_1EXAMPLE');
    partnerIds = [referrer.partnerId];
    while (partnerIds.length < PARTNERS) {
      const partner = { name: 'Ben Pays', email: `ben-${partnerIds.length}@example.com` };
      const created = await app.call('POST', '/api/partners', { body: partner });
      expect(created.status, created.text).toBe(201);
      partnerIds.push(created.body.id);
    }
    await app.service.database.write(async (tx) => {
      for (const id of partnerIds.slice(1)) await store(tx, id, app.service.sealer.seal('{"rail":"paypal"}'));
      const importing = { sealed: app.service.sealer.seal('{}'), accountId: app.accountId };
      await tx.run(
        `INSERT INTO imports
           (id, account_id, source, settings, sealed_secrets, dry_run, status, file_bytes, received_bytes,
            actor_id, actor_name, attempts, created_at, changed_at, due_at)
         VALUES ('imp_1', @accountId, 'rewardful', '{}', @sealed, 0, 'waiting', 0, 0, 'opr_1', 'Ana', 0, 1, 1, 1)`,
        importing,
      );
    });
  });
  afterAll(() => app.close());

  const store = (tx: Transaction, id: string, sealed: Buffer) =>
    tx.run('UPDATE partners SET sealed_payout_details = @sealed WHERE id = @id', { id, sealed });
  const serviceWith = (key: Buffer, fallbacks: Buffer[], database = app.service.database) =>
    createTestService({ database, sealer: createSealer(key, fallbacks) });
  const withBoth = (database?: Database) => serviceWith(NEW_KEY, [TEST_SECRET_KEY], database);

  it('is in the columns that are re-encrypted, and in no other', async () => {
    const tables = await tablesOf(app.service.database);
    const sealed = [...tables].flatMap(([table, columns]) =>
      [...columns].filter((column) => column.startsWith('sealed_')).map((column) => [table, column]),
    );
    expect(SEALED_COLUMNS).toEqual(Object.fromEntries(sealed));
    expect(sealed).toHaveLength(SEALED_TABLES.length);
  });

  it('is read with the previous key until it is re-encrypted, and then with the new one alone', async () => {
    const all = PARTNERS + 5;
    expect(await countSealed(serviceWith(NEW_KEY, []))).toMatchObject({ current: 0, fallback: 0 });
    expect((await countSealed(serviceWith(NEW_KEY, []))).unreadable).toHaveLength(all);
    expect(await countSealed(withBoth())).toEqual({ current: 0, fallback: all, unreadable: [] });
    const progress: number[] = [];
    const done = await reencrypt(withBoth(), (count) => progress.push(count));
    expect(done).toEqual({ current: 0, fallback: all, unreadable: [] });
    expect(progress.at(-1)).toBe(all);
    expect(progress.length).toBeGreaterThan(5);
    expect(await countSealed(serviceWith(NEW_KEY, []))).toEqual({ current: all, fallback: 0, unreadable: [] });
    expect((await countSealed(serviceWith(TEST_SECRET_KEY, []))).unreadable).toHaveLength(all);
    expect(await reencrypt(withBoth())).toEqual({ current: all, fallback: 0, unreadable: [] });
    // and back, with the same words
    await reencrypt(serviceWith(TEST_SECRET_KEY, [NEW_KEY]));
    const file = await app.call('GET', `/api/payouts/files/${fileId}`);
    expect(file.text).toContain('ana.pays@example.com');
    expect((await app.call('GET', `/api/webhook-endpoints/${endpointId}`)).status).toBe(200);
  });

  it('keeps what somebody stored meanwhile', async () => {
    const [id = ''] = partnerIds;
    const newer = createSealer(NEW_KEY).seal('{"rail":"wise"}');
    const interfere = () => app.service.database.write((tx) => store(tx, id, newer));
    await reencrypt(withBoth(interruptedBy(app.service.database, interfere)));
    const [row] = await app.service.database.read((tx) =>
      tx.all<{ sealed: Buffer }>('SELECT sealed_payout_details AS sealed FROM partners WHERE id = @id', { id }),
    );
    expect(row?.sealed.equals(newer)).toBe(true);
  });

  it.each(engine === 'sqlite' ? [] : ['a PATCH'])('is not stored again with the previous key by %s', async () => {
    const { database } = app.service;
    await reencrypt(serviceWith(TEST_SECRET_KEY, [NEW_KEY]));
    let reencrypted: Promise<unknown> | undefined;
    const write: Database['write'] = (unit) =>
      database.write(
        (tx) =>
          unit(
            new Proxy(tx, {
              get: (target, name) => async (sql: string, parameters: SqlParameters) => {
                if (name === 'run') reencrypted ??= reencrypt(withBoth());
                await reencrypted;
                return Reflect.get(target, name).call(target, sql, parameters);
              },
            }),
          ),
        { alone: true },
      );
    const description = 'Our other systems';
    await changeEventEndpoint({ ...app.service, database: { ...database, write } }, app.accountId, eventEndpointId, {
      description,
    });
    expect(await reencrypted).toMatchObject({ unreadable: [] });
    expect((await countSealed(serviceWith(NEW_KEY, []))).unreadable).toEqual([]);
  });

  it('is named and left as it is when no key opens it', async () => {
    const [, id = ''] = partnerIds;
    const foreign = UNKNOWN.seal('{}');
    await app.service.database.write((tx) => store(tx, id, foreign));
    const { unreadable } = await reencrypt(withBoth());
    expect(unreadable).toEqual([{ table: 'partners', id }]);
    expect((await countSealed(serviceWith(Buffer.alloc(32, 9), []))).current).toBe(1);
  });

  it('is deleted with a payout file that is canceled, as one should be that no key opens', async () => {
    await app.service.database.write((tx) =>
      tx.run('UPDATE payout_files SET sealed_content = @sealed WHERE id = @fileId', {
        sealed: UNKNOWN.seal('Receiver,Amount'),
        fileId,
      }),
    );
    const filesUnread = async () => (await reencrypt(withBoth())).unreadable.filter(({ id }) => id === fileId);
    expect(await filesUnread()).toHaveLength(1);
    expect((await app.call('GET', `/api/payouts/files/${fileId}`)).text).toContain('cancel it and make another one');
    expect((await app.call('POST', `/api/payouts/files/${fileId}/cancel`)).status).toBe(200);
    expect(await filesUnread()).toEqual([]);
  });
});
