import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ImportRunner, startImportRunner } from '../../src/exchange/jobs/runner.ts';
import type { MovedFact, MovedPartner } from '../../src/exchange/moved/facts.ts';
import { importFacts } from '../../src/exchange/moved/run.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { unique } from '../helpers/story.ts';
import { counts, importCsvText } from './import-text.ts';
import { importFile } from './server-import.ts';

describe.each(engines)('a row of a partner who is here, on %s', (engine) => {
  let app: TestApp;
  let folder: string;
  let runner: ImportRunner;
  beforeAll(async () => {
    app = await createTestApp(engine);
    runner = startImportRunner(app.service, { pollMs: 20 });
    folder = await mkdtemp(join(tmpdir(), 'refbridge-known-'));
  });
  afterAll(async () => {
    await runner.stop();
    await app.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** A name of which each test has its own. */
  let ana: string;
  beforeEach(() => {
    ana = unique('ana');
  });
  const emailOf = (name: string) => `${name}@example.com`;
  const enroll = async (name: string, fields: object = {}): Promise<string> => {
    const body = { name: 'Ana', email: emailOf(name), ...fields };
    return (await app.call('POST', '/api/partners', { body })).body.id;
  };
  const find = async (name: string) => (await app.call('GET', `/api/partners?email=${emailOf(name)}`)).body.data[0];

  // a partner who would be created has another id each time
  const withoutIds = (imported: object) => JSON.stringify(imported).replaceAll(/ptr_\w+/g, 'ptr_…');

  /** A dry run, the same by the server, then the real import: each must say the same. */
  async function importRows(rows: string) {
    const text = `E-mail,Name,Coupons,External ID\n${rows}`;
    const dry = await importCsvText(app, folder, 'partners', { text, isDryRun: true });
    const onServer = await importFile(app.call, { kind: 'partners', text, dryRun: true });
    const real = await importCsvText(app, folder, 'partners', { text });
    const { created, changed, unchanged, refused, leftOut, problems, leftOutRows } = real;
    expect(withoutIds({ ...dry, dryRun: false })).toEqual(withoutIds(real));
    expect(onServer.counts).toEqual({ created, changed, unchanged, refused, leftOut });
    const linesOf = (all: { line: number }[]) => all.map(({ line }) => line);
    expect(linesOf(onServer.refusedRows)).toEqual(linesOf(problems));
    expect(linesOf(onServer.leftOutRows)).toEqual(linesOf(leftOutRows));
    return real;
  }

  it('adds codes and a missing tenantId, and changes nothing when it is imported again', async () => {
    await enroll(ana, { discountCodes: [`${ana}-Old`] });
    const row = `${emailOf(ana)},,${ana}-OLD;${ana}-10,${ana}\n`;
    expect(await importRows(row)).toMatchObject({ ...counts(0, 0, 0), changed: 1, leftOut: 0 });
    const codes = [`${ana}-10`, `${ana}-Old`];
    expect(await find(ana)).toMatchObject({ name: 'Ana', discountCodes: codes, tenantId: ana });
    expect(await importRows(row)).toMatchObject({ ...counts(0, 1, 0), leftOut: 0 });
    expect(await find(ana)).toMatchObject({ discountCodes: codes });
  });

  it('keeps the name and tenantId that are set here, and says so', async () => {
    await enroll(ana, { tenantId: ana });
    const rows = `${emailOf(ana)},Ana Example,${ana}-10,other\n${emailOf(ana)},Ana,,other\n${emailOf(ana)},Ana,,${ana}\n`;
    const { leftOutRows, report, ...imported } = await importRows(rows);
    expect(imported).toMatchObject({ ...counts(0, 2, 0), changed: 1, leftOut: 2, problems: [] });
    expect(leftOutRows).toEqual([
      { line: 2, key: emailOf(ana), reason: `The partner is here, and keeps its own name and tenantId` },
      { line: 3, key: emailOf(ana), reason: `The partner is here, and keeps its own tenantId` },
    ]);
    expect(report).toContain(
      `2,changed,${emailOf(ana)},"The partner is here, and keeps its own name and tenantId"\r\n`,
    );
    expect(await find(ana)).toMatchObject({ name: 'Ana', discountCodes: [`${ana}-10`], tenantId: ana });
  });

  it('is refused as a whole if a code or the tenantId is of another partner', async () => {
    const bob = unique('bob');
    const bobsId = await enroll(bob, { discountCodes: [`${bob}-10`], tenantId: bob });
    await enroll(ana);
    const rows = `${emailOf(ana)},,${ana}-10;${bob}-10,${ana}\n${emailOf(ana)},,${ana}-20,${bob}\n`;
    const { problems, ...imported } = await importRows(rows);
    expect(imported).toMatchObject({ ...counts(0, 0, 2), leftOut: 0 });
    expect(problems).toEqual([
      { line: 2, key: emailOf(ana), reason: `discountCodes: "${bob}-10" belongs to another partner` },
      { line: 3, key: emailOf(ana), reason: `tenantId: the partner ${bobsId} of this program already has "${bob}"` },
    ]);
    expect(await find(ana)).toMatchObject({ discountCodes: [], tenantId: null });
  });

  it('may be one of several with a code each, before and after which others are refused the codes', async () => {
    const [bob, cleo] = [unique('bob'), unique('cleo')];
    await enroll(ana);
    const rows = [
      `${emailOf(ana)},,${ana}-10,`,
      `${emailOf(bob)},Bob,${ana}-10,`,
      `${emailOf(bob)},Bob,${bob}-10,${bob}`,
      `${emailOf(ana)},,${ana}-20;${ana}-10,`,
      `${emailOf(ana)},,${bob}-10,`,
      `${emailOf(cleo)},Cleo,,${bob}`,
      `${emailOf(bob)},Bob,${bob}-20,`,
      `${emailOf(bob)},Bob,${bob}-20,`,
    ];
    const imported = await importRows(`${rows.join('\n')}\n`);
    expect(imported).toMatchObject({ ...counts(1, 1, 3), changed: 3 });
    expect(imported.problems.map(({ line }) => line)).toEqual([3, 6, 7]);
    expect(await find(ana)).toMatchObject({ discountCodes: [`${ana}-10`, `${ana}-20`] });
    expect(await find(bob)).toMatchObject({ discountCodes: [`${bob}-10`, `${bob}-20`] });
    expect(await importRows(`${rows.join('\n')}\n`)).toMatchObject({ ...counts(0, 5, 3), changed: 0 });
  });

  it('gives no code away when several imports run at once', async () => {
    await enroll(ana);
    const codes = Array.from({ length: 6 }, (_, n) => `${ana}-${n}`);
    const texts = [...codes, ...codes].map((code) => `E-mail,Coupon\n${emailOf(ana)},${code}\n`);
    const imported = await Promise.all(texts.map((text) => importCsvText(app, folder, 'partners', { text })));
    expect(imported.filter(({ changed }) => changed === 1)).toHaveLength(6);
    expect(imported.filter(({ unchanged }) => unchanged === 1)).toHaveLength(6);
    expect(await find(ana)).toMatchObject({ discountCodes: codes });
  });

  it('is refused for an archived partner, and for too many codes', async () => {
    const id = await enroll(ana, { discountCodes: Array.from({ length: 100 }, (_, n) => `${ana}-${n}`) });
    const row = `${emailOf(ana)},,${ana}-more,\n`;
    expect((await importRows(row)).problems).toMatchObject([{ reason: 'discountCodes: must have at most 100 codes' }]);
    await app.call('POST', `/api/partners/${id}/archive`);
    expect((await importRows(row)).problems).toMatchObject([
      { reason: expect.stringContaining(`${id} of this program`) },
    ]);
  });

  const importFromDub = (isDryRun: boolean, more: object = {}, ...others: MovedFact[]) => {
    const { service, accountId } = app;
    const source = { name: 'dub', title: 'Dub' };
    const target = { service, accountId, source, partnersBy: 'source id', programId: null } as const;
    const partner: MovedPartner = {
      kind: 'partner',
      id: `of ${ana}`,
      programId: null,
      email: emailOf(ana),
      name: 'Ana Example',
      tenantId: ana,
    };
    async function* items() {
      yield { ...partner, ...more };
      yield* others;
    }
    return importFacts(target, items(), { isDryRun, reportPath: null });
  };

  it('of another service gets a missing tenantId, too', async () => {
    const id = await enroll(ana);
    expect(await importFromDub(true)).toMatchObject({ created: 0, changed: 1, refused: 0 });
    expect(await importFromDub(false)).toMatchObject({ created: 0, changed: 1, refused: 0 });
    expect(await find(ana)).toMatchObject({ name: 'Ana', tenantId: ana });
    expect(await importFromDub(false)).toMatchObject({ changed: 0, unchanged: 1 });
    await app.call('POST', `/api/partners/${id}/archive`);
    expect(await importFromDub(false, { id: unique('pn') })).toMatchObject({ changed: 0, unchanged: 1, refused: 0 });
  });

  it('of another service comes again after the partner was deleted here, with the customers', async () => {
    const profile = { email: null, name: null, atProcessor: null };
    const buyer = unique('buyer');
    const [customer, bought] = [ana, buyer].map((externalId): MovedFact => {
      return { kind: 'customer', id: externalId, externalId, partnerId: `of ${ana}`, ...profile };
    }) as [MovedFact, MovedFact];
    const open = { status: 'open', occurredAt: Date.now(), dueAt: null, paidAt: null, payout: null } as const;
    const sale: MovedFact = {
      ...{ ...open, kind: 'commission', id: buyer, partnerId: `of ${ana}`, amountMinor: 100, currency: 'usd' },
      payment: { processor: 'custom', invoiceId: buyer, references: [] },
      sale: {
        ...{ customer: { externalId: buyer, ...profile }, amountMinor: 500, grossMinor: 500 },
        ...{ refundedMinor: 0, currency: 'usd' },
      },
    };
    expect(await importFromDub(false, {}, customer, bought)).toMatchObject(counts(3, 0, 0));
    const { id } = await find(ana);
    expect((await app.call('DELETE', `/api/partners/${id}`)).status).toBe(204);
    for (const isDryRun of [true, false]) {
      expect(await importFromDub(isDryRun, {}, customer, sale)).toMatchObject({ ...counts(2, 0, 0), changed: 1 });
    }
    expect(await importFromDub(false, {}, customer, bought)).toMatchObject(counts(0, 3, 0));
    for (const customerExternalId of [ana, buyer]) {
      const { body } = await app.call('POST', '/api/sales', { body: { customerExternalId, amount: 1_000 } });
      expect(body.sale.commissionAmount).toBe(200);
      expect((await app.call('GET', `/api/sales/${body.sale.id}`)).body.partnerId).toBe((await find(ana)).id);
    }
  });

  it('is refused if several programs have the partner, and the import names none', async () => {
    await enroll(ana, { discountCodes: [`${ana}-10`] });
    const { body: program } = await app.call('POST', '/api/programs', { body: { name: unique('program') } });
    const other = await enroll(ana, { programId: program.id });
    const rows = `${emailOf(ana)},,${ana}-10,\n${emailOf(ana)},,${ana}-20,\n`;
    const { problems, ...imported } = await importRows(rows);
    expect(imported).toMatchObject(counts(0, 1, 1));
    expect(problems).toMatchObject([{ line: 3, reason: expect.stringContaining('is a partner of several programs') }]);
    const text = `E-mail,Coupon\n${emailOf(ana)},${ana}-20\n`;
    const settings = { programId: program.id };
    expect((await importFile(app.call, { kind: 'partners', text, settings })).counts).toMatchObject({ changed: 1 });
    // one of another service is the one who is not archived
    await app.call('POST', `/api/partners/${other}/archive`);
    expect(await importFromDub(false)).toMatchObject({ changed: 1 });
    expect(await find(ana)).toMatchObject({ tenantId: ana, archivedAt: null });
    // nor in a program that is
    await app.call('POST', `/api/partners/${other}/unarchive`);
    await app.call('POST', `/api/programs/${program.id}/archive`);
    expect(await importFromDub(false, { id: unique('pn') })).toMatchObject({ changed: 0, unchanged: 1 });
  });

  it('of another service may be of a program that was deleted here, which comes again', async () => {
    await enroll(unique('bob'));
    const terms = { commission: { type: 'flat', amounts: { usd: 500 } }, durationMonths: null, holdDays: null };
    const program = { ...terms, kind: 'program', id: ana, name: ana, minimumPayout: {}, viaParameters: [] };
    expect(await importFromDub(false, program)).toMatchObject(counts(1, 0, 0));
    const { data } = (await app.call('GET', '/api/programs')).body;
    const { id } = data.find(({ name }: { name: string }) => name === ana);
    expect((await app.call('DELETE', `/api/programs/${id}`)).status).toBe(204);
    expect(await importFromDub(false, program)).toMatchObject(counts(1, 0, 0));
    expect(await importFromDub(false, { programId: ana })).toMatchObject(counts(1, 0, 0));
    expect((await find(ana)).programId).not.toBe(id);
  });
});
