import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shortIdOf } from '../../src/core/short-id.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { payoutsOf, runPayouts, sell } from '../helpers/earning.ts';
import { expectError } from '../helpers/expect-error.ts';
import { rounds } from '../helpers/rounds.ts';
import { createReferrer } from '../helpers/story.ts';
import { placesOf } from '../privacy/places-of.ts';
import { schemaErrorsOf } from '../rails/xml-schema.ts';

const NOW = Date.UTC(2026, 11, 1);
const IBAN = 'DE89370400440532013000';
const SEPA = { rail: 'sepa', name: 'Ana Alvarez', iban: IBAN };
const DEBTOR = { name: 'Aurora GmbH', iban: 'DE02120300000000202051' };

describe.each(engines)('files for banks and providers, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => NOW } });
  });
  afterAll(() => app.close());

  /** Creates a processing payout for a partner with these payment details. */
  async function newPayout(details: object | null, fields: object = { currency: 'eur' }) {
    const referrer = await createReferrer(app);
    const { partnerId } = referrer;
    if (details !== null) await app.call('PUT', `/api/partners/${partnerId}/payout-details`, { body: details });
    await sell(app, referrer, { amount: 9_995, ...fields });
    await runPayouts(app, { at: '2027-12-31' });
    const [{ id }] = await payoutsOf(app, partnerId, 'processing');
    return { id: id as string, partnerId };
  }
  const make = (body: object, key?: string) => app.call('POST', '/api/payouts/files', { body, ...(key && { key }) });
  const report = (fileId: string, results: object[]) =>
    app.call('POST', `/api/payouts/files/${fileId}/results`, { body: { results } });
  const statusOf = async (id: string) => (await app.call('GET', `/api/payouts/${id}`)).body.status;

  it('a bank file must not be for a day in the past, and nothing is taken for one that is refused', async () => {
    const { id } = await newPayout(SEPA);
    const body = { rail: 'sepa', debtor: DEBTOR, payoutIds: [id] };
    const refused = await make({ ...body, executionDate: '2026-11-30' });
    expectError(refused, 400, 'VALIDATION_ERROR');
    const message = 'must not be in the past: today is 2026-12-01 (UTC)';
    expect(refused.body.error.details).toEqual([{ path: 'executionDate', message }]);
    const today = await make({ ...body, executionDate: '2026-12-01' });
    expect(today.status, today.text).toBe(201);
    await app.call('POST', `/api/payouts/files/${today.body.id}/cancel`);
    const later = await make({ ...body, executionDate: '2027-01-04' });
    expect((await app.call('GET', `/api/payouts/files/${later.body.id}`)).text).toContain('<Dt>2027-01-04</Dt>');
    await report(later.body.id, [{ id: shortIdOf(id), status: 'paid' }]);
  });

  it('a bank file contains what waits for it, once, and lists what it leaves out', async () => {
    const [first, second] = [await newPayout(SEPA), await newPayout({ ...SEPA, name: 'Bo Berg' })];
    const [unpayable, byPayPal] = [await newPayout(null), await newPayout({ rail: 'paypal', email: 'p@example.com' })];
    const made = await make({ rail: 'sepa', debtor: DEBTOR });
    expect(made.status, made.text).toBe(201);
    expect(made.body).toMatchObject({ rail: 'sepa', currency: 'eur', payoutCount: 2, amount: 3_998, isFull: false });
    expect(made.body.leftOut).toEqual([
      expect.objectContaining({
        payoutId: unpayable.id,
        reason: expect.stringContaining('has no payout details'),
      }),
    ]);

    const file = await app.call('GET', `/api/payouts/files/${made.body.id}`);
    expect(file.headers.get('content-type')).toBe('application/xml; charset=utf-8');
    expect(file.headers.get('content-disposition')).toBe(`attachment; filename="${made.body.fileName}"`);
    expect(made.body.fileName).toBe(`sepa-eur-2026-12-01-${shortIdOf(made.body.id)}.xml`);
    expect(await schemaErrorsOf(file.text)).toEqual([]);
    expect(file.text.match(/<CtrlSum>39\.98<\/CtrlSum>/g)).toHaveLength(2);
    const ids = [...file.text.matchAll(/<EndToEndId>(\w+)</g)].map(([, id]) => id);
    expect(ids).toEqual([shortIdOf(first.id), shortIdOf(second.id)]);
    expect(await placesOf(app.service.database, IBAN)).toEqual([]);

    const listing = (query: string) => app.call('GET', `/api/payouts/files/${made.body.id}/payouts${query}`);
    const { body: page } = await listing('?limit=1');
    const { leftOut, leftOutCount, isFull, ...itself } = made.body;
    expect(page.file).toEqual(itself);
    const shown = { id: second.id, shortId: shortIdOf(second.id), partnerId: second.partnerId, status: 'processing' };
    expect(page.data).toEqual([expect.objectContaining(shown)]);
    const { body: next } = await listing(`?cursor=${page.nextCursor}`);
    expect([next.data.map(({ id }: { id: string }) => id), next.nextCursor]).toEqual([[first.id], null]);
    expect([leftOutCount, leftOut.length, isFull]).toEqual([1, 1, false]);

    expectError(await make({ rail: 'sepa', debtor: DEBTOR }), 409, 'INVALID_STATE');
    const again = await make({ rail: 'sepa', debtor: DEBTOR, payoutIds: [first.id] });
    expect(again.body.error.message).toContain(`is in the file ${made.body.id}`);
    const paypal = await make({ rail: 'paypal', currency: 'eur' });
    expect(paypal.body).toMatchObject({ payoutCount: 1, amount: 1_999 });
    const { text } = await app.call('GET', `/api/payouts/files/${paypal.body.id}`);
    const short = shortIdOf(byPayPal.id);
    expect(text).toBe(`p@example.com,19.99,EUR,${short},Payout ${short},PAYPAL\r\n`);
    const listed = (await app.call('GET', '/api/payouts/files')).body.data.map(({ id }: { id: string }) => id);
    expect(listed.slice(0, 2)).toEqual([paypal.body.id, made.body.id]);
  });

  it('say of a payout which file it is in, until that is canceled', async () => {
    const { id } = await newPayout(SEPA);
    const fileOf = async () => (await app.call('GET', `/api/payouts/${id}`)).body.fileId;
    expect(await fileOf()).toBeNull();
    const { body: file } = await make({ rail: 'sepa', debtor: DEBTOR, payoutIds: [id] });
    expect(await fileOf()).toBe(file.id);
    await app.call('POST', `/api/payouts/files/${file.id}/cancel`);
    expect(await fileOf()).toBeNull();
    await app.call('POST', `/api/payouts/${id}/paid`);
  });

  it('that nothing can be paid by say why for each reason, and nothing of payouts in another currency', async () => {
    const other = await createTestApp(engine, { service: { clock: () => NOW } });
    const pay = async (name: string, currency: string, details: object | null) => {
      const referrer = await createReferrer(other, { name });
      const { partnerId } = referrer;
      if (details !== null) await other.call('PUT', `/api/partners/${partnerId}/payout-details`, { body: details });
      await sell(other, referrer, { amount: 9_995, currency });
    };
    for (const name of ['Ana', 'Bo', 'Cem', 'Dora', 'Edda']) await pay(name, 'eur', null);
    await pay('Finn', 'eur', { ...SEPA, iban: 'AE070331234567890123456' });
    await pay('Gus', 'usd', null);
    await runPayouts(other, { at: '2027-12-31' });
    const body = { rail: 'sepa', debtor: DEBTOR, currency: 'eur' };
    const refused = await other.call('POST', '/api/payouts/files', { body });
    expectError(refused, 409, 'INVALID_STATE');
    expect(refused.body.error.message).toBe(
      'None of 6 payouts can go into the file. Ana, Bo, Cem and 2 more: The partner has no payout details: set them ' +
        "on the partner's page (in the API: PUT /api/partners/:id/payout-details). Finn: SEPA does not reach accounts in AE",
    );
    await other.close();
  });

  it('contain each payout once, also when two are created at the same time', async () => {
    const { id } = await newPayout(SEPA);
    const body = { rail: 'sepa', debtor: DEBTOR, payoutIds: [id] };
    const answers = await Promise.all(Array.from({ length: 6 }, () => make(body)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const { status } of answers) expect([201, 409]).toContain(status);
    const rows = await app.service.database.read((tx) =>
      tx.all('SELECT file_id FROM payout_file_rows WHERE payout_id = @id', { id }),
    );
    expect(rows).toHaveLength(1);
  });

  it('contain one currency each, and leave out what the rail cannot pay', async () => {
    const [usd, huf] = [
      await newPayout({ rail: 'paypal', email: 'u@example.com' }, { currency: 'usd' }),
      await newPayout({ rail: 'paypal', email: 'h@example.com' }, { currency: 'huf' }),
    ];
    const gbp = await newPayout({ rail: 'paypal', email: 'g@example.com' }, { currency: 'gbp' });
    const refused = await make({ rail: 'paypal' });
    expectError(refused, 400, 'VALIDATION_ERROR');
    expect(refused.text).toContain('USD and GBP');
    const made = await make({ rail: 'paypal', payoutIds: [usd.id, huf.id], currency: 'usd' });
    expect(made.body).toMatchObject({ payoutCount: 1, leftOutCount: 1, leftOut: [{ payoutId: huf.id }] });
    const dollars = await make({ rail: 'sepa', debtor: DEBTOR, payoutIds: [gbp.id] });
    expect(dollars.body.error.message).toContain('is paid by paypal');
    expectError(await make({ rail: 'sepa', payoutIds: [gbp.id] }), 400, 'VALIDATION_ERROR');
    expectError(await make({ rail: 'paypal', payoutIds: ['pay_none'] }), 404, 'NOT_FOUND');
  });

  it('accept a report with short ids, also repeatedly, and name contradictions', async () => {
    const [good, bad, other] = [await newPayout(SEPA), await newPayout(SEPA), await newPayout(SEPA)];
    const { body: file } = await make({ rail: 'sepa', debtor: DEBTOR, payoutIds: [good.id, bad.id] });
    const results = [
      { id: shortIdOf(good.id), status: 'paid' },
      { id: shortIdOf(bad.id).toLowerCase(), status: 'failed', reason: 'AC04 closed account' },
      { id: other.id, status: 'paid' },
      { id: 'nonsense', status: 'paid' },
    ];
    const first = await report(file.id, results);
    expect(first.body).toMatchObject({ paid: 1, failed: 1, unchanged: 0 });
    expect(first.body.problems.map(({ id }: { id: string }) => id)).toEqual([other.id, 'nonsense']);
    expect([await statusOf(good.id), await statusOf(bad.id), await statusOf(other.id)]).toEqual([
      'paid',
      'failed',
      'processing',
    ]);
    expect((await app.call('GET', `/api/payouts/${bad.id}`)).body.note).toBe('AC04 closed account');
    expect((await report(file.id, results.slice(0, 2))).body).toEqual({
      paid: 0,
      failed: 0,
      unchanged: 2,
      problems: [],
    });
    const contradiction = (await report(file.id, [{ id: good.id, status: 'failed' }])).body;
    expect(contradiction.problems).toEqual([{ id: good.id, message: expect.stringContaining('is paid') }]);
  });

  it('release their payouts to the next file when canceled, and are invisible to another account', async () => {
    const { id } = await newPayout(SEPA);
    const body = { rail: 'sepa', debtor: DEBTOR, payoutIds: [id] };
    const { body: file } = await make(body);
    const { apiKey: key } = await app.addAccount('Other');
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/cancel'],
    ]) {
      expectError(await app.call(`${method}`, `/api/payouts/files/${file.id}${path}`, { key }), 404, 'NOT_FOUND');
    }
    expectError(await make(body, key), 404, 'NOT_FOUND');
    const canceled = await app.call('POST', `/api/payouts/files/${file.id}/cancel`);
    expect(canceled.body.canceledAt).toBe('2026-12-01T00:00:00.000Z');
    const { body: next } = await make(body);
    expectError(await app.call('GET', `/api/payouts/files/${file.id}`), 409, 'INVALID_STATE');
    // the next file pays it, so its entries must not go into another payout as well
    const { problems } = (await report(file.id, [{ id, status: 'failed' }])).body;
    expect([problems, await statusOf(id)]).toEqual([[{ id, message: expect.stringContaining(next.id) }], 'processing']);
  });

  it('a payout in a file is canceled only after the file, so that no bank pays what the next one contains', async () => {
    const { id } = await newPayout(SEPA);
    const { body: file } = await make({ rail: 'sepa', debtor: DEBTOR, payoutIds: [id] });
    const refused = await app.call('POST', `/api/payouts/${id}/cancel`);
    expectError(refused, 409, 'INVALID_STATE');
    expect(refused.body.error.message).toContain(file.id);
    expect(await statusOf(id)).toBe('processing');
    await app.call('POST', `/api/payouts/files/${file.id}/cancel`);
    expect((await app.call('POST', `/api/payouts/${id}/cancel`)).body.status).toBe('canceled');
  });

  it('a payout is either canceled or put into a file when both are asked for at once', async () => {
    for (let round = 0; round < rounds(25); round += 1) {
      const { id } = await newPayout(SEPA);
      const [made, canceled] = await Promise.all([
        make({ rail: 'sepa', debtor: DEBTOR, payoutIds: [id] }),
        app.call('POST', `/api/payouts/${id}/cancel`),
      ]);
      expect([made.status === 201, canceled.status === 200].filter(Boolean)).toHaveLength(1);
      expect(await statusOf(id)).toBe(made.status === 201 ? 'processing' : 'canceled');
    }
  });

  it('a report may name thousands of payouts', async () => {
    const { id } = await newPayout(SEPA);
    const { body: file } = await make({ rail: 'sepa', debtor: DEBTOR, payoutIds: [id] });
    const strangers = Array.from({ length: 4_999 }, (_, n) => ({ id: `pay_${n}`, status: 'failed', reason: 'Closed' }));
    const { status, body } = await report(file.id, [{ id, status: 'paid' }, ...strangers]);
    expect([status, body.paid]).toEqual([200, 1]);
    const tooLarge = await app.call('POST', '/api/partners', { body: { name: 'x'.repeat(70_000) } });
    expectError(tooLarge, 413, 'PAYLOAD_TOO_LARGE');
  });

  it('lose their content when a partner in them is erased', async () => {
    const { id, partnerId } = await newPayout(SEPA);
    const { body: file } = await make({ rail: 'sepa', debtor: DEBTOR, payoutIds: [id] });
    await report(file.id, [{ id, status: 'paid' }]);
    expect((await app.call('DELETE', `/api/partners/${partnerId}/personal-data`)).status).toBe(204);
    expectError(await app.call('GET', `/api/payouts/files/${file.id}`), 409, 'INVALID_STATE');
  });
});
