import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { createRoutes } from '../../src/http/routes.ts';
import { CASES } from './anywhere-cases.ts';
import { ON_THE_SPOT, WITHOUT_COMMAND } from './anywhere-lists.ts';
import {
  apiKey,
  called,
  closeScene,
  json,
  newDelivery,
  newEmail,
  newSale,
  openScene,
  url,
  workplace,
} from './anywhere-scene.ts';
import { namesOf } from './command-names.ts';

beforeAll(openScene);
afterAll(closeScene);

/** Reads of existing data: the same words must print the same text. */
const SAME_WORDS = (name: string) =>
  / (list|show|earnings|export)$|^(overview|statistics|explain|personal-data)$/.test(name);

/** The text without what differs between two resources created in the same way, or between the two connections. */
function alike(text: string): unknown {
  return JSON.parse(
    text
      .replaceAll(/"lastUsedAt":("[^"]*"|null)/g, '"lastUsedAt":"when"')
      .replaceAll(/"lastFour":"\w+"/g, '"lastFour":""')
      .replaceAll(/whsec_[\w+/]+=*/g, 'whsec')
      .replaceAll(/rb_(\w+?)_\w+/g, '$1')
      .replaceAll(/clk_\w+/g, 'clk')
      // our ids, short ones as well, and the ends of unique names
      .replaceAll(/_[0-9a-f]{8,}/g, '')
      .replaceAll(/-P[0-9A-Z]{25}/g, '')
      // the last part of a page of Stripe's
      .replaceAll(/\/[0-9a-f]{8,}"/g, '"')
      .replaceAll('command line', 'key')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'when'),
  );
}

describe('every command that needs no file', () => {
  it('is listed here, as is every other command', async () => {
    expect(namesOf(await createProgram()).toSorted()).toEqual(
      [...Object.keys(ON_THE_SPOT), ...Object.keys(CASES)].toSorted(),
    );
  });

  it.each(Object.keys(CASES))('prints the same from the database and over HTTP: %s', async (name) => {
    const command = name.split(' ');
    const prepare = CASES[name] ?? (async () => []);
    const words = await prepare();
    const local = await workplace.run([...command, ...words, '--json']);
    expect(local.stderr).toBe('');
    const again = SAME_WORDS(name) ? words : await prepare();
    const remote = await workplace.run(['--url', url, '--api-key', apiKey, ...command, ...again, '--json']);
    expect([remote.exitCode, remote.stderr]).toEqual([local.exitCode, '']);
    expect(remote.exitCode).toBe(0);
    if (name === 'whoami') {
      const { accountId, accountName, version } = JSON.parse(local.stdout);
      expect(JSON.parse(remote.stdout)).toMatchObject({
        accountId,
        accountName,
        version,
        scope: 'full',
        from: '--url',
      });
    } else if (name === 'erase') {
      expect([JSON.parse(local.stdout).deletedBodies, JSON.parse(remote.stdout).deletedBodies]).toEqual([0, null]);
    } else expect(alike(remote.stdout)).toEqual(alike(local.stdout));
    if (SAME_WORDS(name) && name !== 'keys list') expect(remote.stdout).toBe(local.stdout);
  });

  it('leaves no route of the management API without a command, except for listed reasons', async () => {
    const words = ['--name', 'Cem', '--email', newEmail(), '--program', 'Example Ltd'];
    const { id: partnerId } = await json('partners', 'create', ...words);
    for (const [command, ...words] of [
      ['personal-data', partnerId],
      ['erase', partnerId, '--yes'],
      [
        'refunds',
        'create',
        '--sale',
        (await json('sales', 'list')).data[0].id,
        '--refund-id',
        'r1',
        '--amount',
        '1EUR',
      ],
    ] as const) {
      const { exitCode, stderr } = await workplace.run([
        '--url',
        url,
        '--api-key',
        apiKey,
        command,
        ...words,
        '--json',
      ]);
      expect([exitCode, stderr]).toEqual([0, '']);
    }
    const management = createRoutes().filter(({ credential }) =>
      ['api-key', 'api-key-only', 'session'].includes(credential),
    );
    const uncalled = management.filter(({ method, path }) => {
      const shape = new RegExp(`^${method} ${path.replaceAll(/:\w+/g, '[^/]+')}$`);
      // `/api/payouts/export` is not a payout
      const fixed = management.filter((other) => other.method === method && !other.path.includes(':'));
      return ![...called].some(
        (request) =>
          shape.test(request) && (!path.includes(':') || fixed.every((other) => request !== `${method} ${other.path}`)),
      );
    });
    const posted = ['trackLead', 'trackSale', 'setPayoutDetails', 'connectRail'];
    expect([...uncalled.map(({ operationId }) => operationId), ...posted].toSorted()).toEqual(
      Object.keys(WITHOUT_COMMAND).toSorted(),
    );
  });
});

describe('a command about several things goes on after one that cannot be changed, and exits with 1:', () => {
  it.each([
    ['approve', 'approved'],
    ['reject', 'rejected'],
  ])('sales %s', async (name, done) => {
    const [first, second] = [(await newSale()).invoice, (await newSale()).invoice];
    await json('sales', name, first);
    const { exitCode, stderr } = await workplace.run(['sales', name, first, second]);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(new RegExp(`^sal_\\w+ of Ana: ${done}\\.\\nSale sal_\\w+ is ${done}; only `)),
    ]);
    expect((await json('sales', 'show', second)).review).toBe(done);
  });

  it('deliveries retry', async () => {
    const [{ deliveryId: gone }, { deliveryId: kept }] = [await newDelivery(), await newDelivery()];
    const database = new BetterSqlite3(join(workplace.folder, 'data/refbridge.db'));
    database.prepare('UPDATE deliveries SET body = NULL WHERE id = ?').run(gone);
    database.close();
    const { exitCode, stdout } = await workplace.run(['deliveries', 'retry', gone, kept, '--json']);
    const failed = [expect.objectContaining({ id: gone, code: 'INVALID_STATE' })];
    expect([exitCode, JSON.parse(stdout)]).toEqual([
      1,
      { data: [expect.objectContaining({ deliveryId: kept })], failed },
    ]);
  });
});
