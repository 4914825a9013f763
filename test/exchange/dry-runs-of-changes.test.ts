import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { MovedCommission, MovedFact } from '../../src/exchange/moved/facts.ts';
import { type AppOfMany, createAppOfMany, type TestApp } from '../helpers/app.ts';
import { counts } from './import-text.ts';
import { ANA, BOB, COMMISSION, importAll, LINK, programOf, soldAs } from './old-service.ts';

let apps: AppOfMany;
let app: TestApp;
beforeAll(async () => {
  apps = await createAppOfMany('sqlite');
});
beforeEach(async () => {
  app = await apps.addApp();
});
afterAll(() => apps.close());

it.each<[string, MovedFact[], object]>([
  [
    'the first who is new, and not that of one who is here under another name',
    [...[BOB, { ...BOB, id: 'p_3', name: 'Kim', tenantId: 't' }, { ...ANA, name: 'Kim' }], { ...LINK, key: 'kim' }],
    { ...counts(2, 0, 1), changed: 1 },
  ],
  [
    'the first in a program with first links',
    [
      ...['g_1', 'g_2'].map((id) => programOf(id)),
      { ...BOB, programId: 'g_2', name: 'Zoe' },
      { ...ANA, programId: 'g_1', name: 'Zoe' },
      { ...LINK, key: 'zoe' },
    ],
    { ...counts(3, 0, 1), changed: 1 },
  ],
])('the dry run knows that a first link has the name of %s', async (_, facts, expected) => {
  const { data } = (await app.call('GET', '/api/programs')).body;
  await app.call('PATCH', `/api/programs/${data[0].id}`, { body: { defaultUrl: 'https://shop.example.com/' } });
  const dry = await importAll(app, facts, true);
  expect(dry.all).toMatchObject(expected);
  expect(await importAll(app, facts, false)).toEqual(dry);
});

it('the dry run counts the codes of a partner whose address at the service has changed', async () => {
  const codeOf = (partnerId: string, code: string): MovedFact => ({ kind: 'code', id: code, partnerId, code });
  const here = Array.from({ length: 99 }, (_, nth) => codeOf('p_1', `CODE${nth}`));
  await importAll(app, [ANA, ...here], false);
  const listed = [
    { ...ANA, email: 'ana@new.example.com' },
    { ...ANA, id: 'p_3' },
  ];
  const facts = [...listed, codeOf('p_3', 'NEW1'), codeOf('p_1', 'NEW2')];
  const dry = await importAll(app, facts, true);
  expect(dry.all).toMatchObject({ ...counts(0, 2, 1), changed: 1 });
  expect(await importAll(app, facts, false)).toEqual(dry);
});

it('a dry run knows that the import has voided one of the sales that the ids of a record name', async () => {
  await importAll(app, [ANA, soldAs('m_3', 'in_3', [])], false);
  const voided: MovedCommission = { ...soldAs('m_1', 'in_1', []), status: 'reversed' };
  const facts = [ANA, soldAs('m_1', 'in_1', ['ch_2']), voided, soldAs('m_4', 'in_3', ['ch_2'])];
  const dry = await importAll(app, facts, true);
  expect(await importAll(app, facts, false)).toEqual(dry);
});

it('a dry run knows that the import has voided a sale whose payment the record of it no longer names', async () => {
  await importAll(app, [ANA, soldAs('m_1', 'in_1', []), soldAs('m_3', 'in_3', [])], false);
  const voided: MovedCommission = { ...COMMISSION, status: 'reversed', paidAt: null };
  const facts = [ANA, voided, soldAs('m_4', 'in_3', ['in_1'])];
  const dry = await importAll(app, facts, true);
  expect(dry.reasons).toEqual([['m_4', expect.stringMatching(/which is the commission m_3 of Old service/)]]);
  expect(await importAll(app, facts, false)).toEqual(dry);
});
