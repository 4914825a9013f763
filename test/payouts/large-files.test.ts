import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createId } from '../../src/ids.ts';
import { chooseContents, sealFile } from '../../src/payouts/file-contents.ts';
import { recordFileResults } from '../../src/payouts/file-results.ts';
import type { PayoutFileInput } from '../../src/payouts/file-schemas.ts';
import { cancelPayoutFile } from '../../src/payouts/files.ts';
import { insertPayoutFile } from '../../src/payouts/queries/files.ts';
import type { Transaction } from '../../src/storage/database.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { asId } from '../helpers/ids.ts';
import { observeQueries } from '../helpers/observe-queries.ts';
import { turnsOf } from '../helpers/turns-of.ts';

const COUNT = 5_000;
const PER_TURN_MAX = 500;
const PAYMENTS_PER_TURN_MAX = 200;

describe('files of thousands of payouts', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp('sqlite');
  });
  afterAll(() => app.close());

  it('are put together in parts, so that other requests have their turn', async () => {
    const madeIn: number[] = [];
    const sealedIn: number[] = [];
    const { sealer } = app.service;
    await turnsOf(async (turns) => {
      const payments = (function* () {
        for (let nth = 0; nth < COUNT; nth += 1) {
          madeIn.push(turns());
          yield `${nth}\n`;
        }
      })();
      const seal = (text: string) => {
        sealedIn.push(turns());
        return sealer.seal(text);
      };
      const sealed = await sealFile({ ...app.service, sealer: { ...sealer, seal } }, payments);
      sealedIn.push(turns());
      expect(sealer.open(sealed)).toBe(Array.from({ length: COUNT }, (_, nth) => `${nth}\n`).join(''));
    });
    const perTurn = [...Map.groupBy(madeIn, (turn) => turn).values()].map(({ length }) => length);
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(PAYMENTS_PER_TURN_MAX);
    const turnsBetween = [Number(sealedIn[0]) - Number(madeIn.at(-1)), Number(sealedIn[1]) - Number(sealedIn[0])];
    expect(Math.min(...turnsBetween)).toBeGreaterThanOrEqual(1);
  });

  it('contain the details of thousands of partners, which are decrypted in parts', async () => {
    const { sealer } = app.service;
    const details = { name: 'Mia Example', iban: 'DE89370400440532013000', bic: null };
    const payout = { partnerId: 'ptr_1', partnerName: 'Mia', amount: 100, currency: 'eur', status: 'processing' };
    const stored = {
      payoutDetails: '{"rail":"sepa"}',
      sealedDetails: sealer.seal(JSON.stringify({ rail: 'sepa', details })),
    };
    const waiting = Array.from({ length: COUNT }, () => ({
      id: createId('pay'),
      ...payout,
      ...stored,
      fileId: null,
      transferRail: null,
    }));
    const tx = { all: async (_: string, { limit }: { limit: number }) => waiting.splice(0, limit) };
    const report = <T>(work: (given: Transaction) => Promise<T>) => work(tx as unknown as Transaction);
    const input = { rail: 'sepa', payoutIds: null, currency: 'eur' } as PayoutFileInput;
    const openedIn: number[] = [];
    await turnsOf(async (turns) => {
      const open = (sealed: Buffer) => {
        openedIn.push(turns());
        return sealer.open(sealed);
      };
      const database = { ...app.service.database, report };
      const service = { ...app.service, database, sealer: { ...sealer, open } };
      expect((await chooseContents(service, app.accountId, input)).payments).toHaveLength(COUNT);
    });
    const perTurn = [...Map.groupBy(openedIn, (turn) => turn).values()].map(({ length }) => length);
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(PAYMENTS_PER_TURN_MAX);
  });

  it('are reported in one request, which is looked through in parts', async () => {
    const results = Array.from({ length: COUNT }, () => ({ id: 'pay_unknown', status: 'paid' as const, reason: null }));
    const actor = { kind: 'command_line' } as const;
    const turns = await turnsOf(async () => {
      const summary = await recordFileResults(app.service, app.accountId, { fileId: null, results, actor });
      expect(summary).toMatchObject({ unchanged: COUNT - 1, problems: [{ id: 'pay_unknown' }] });
    });
    expect(turns).toBeGreaterThanOrEqual(COUNT / PER_TURN_MAX);
  });

  it('are not read when results are recorded, or a file is canceled', async () => {
    const id = asId<'pfl'>('pfl_large');
    const { accountId } = app;
    const named = { id, accountId, rail: 'sepa', currency: 'eur', fileName: 'a.xml', contentType: 'x' } as const;
    const made = { payoutCount: 1, amount: 1, createdAt: 1, createdBy: 'x', canceledAt: null };
    await app.service.database.write((tx) => insertPayoutFile(tx, { ...named, ...made, content: Buffer.from('x') }));
    const found: unknown[] = [];
    const service = observeQueries(app.service, (_, result) => found.push(result));
    const results = [{ id: 'pay_unknown', status: 'paid' as const, reason: null }];
    const actor = { kind: 'command_line' } as const;
    await recordFileResults(service, accountId, { fileId: id, results, actor });
    expect(await cancelPayoutFile(service, accountId, id)).toMatchObject({ id, canceledAt: expect.any(String) });
    expect(found).toContainEqual(expect.objectContaining({ id, fileName: 'a.xml' }));
    expect(found).not.toContainEqual(expect.objectContaining({ content: expect.anything() }));
  });
});
