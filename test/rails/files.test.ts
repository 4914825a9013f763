import { describe, expect, it } from 'vitest';
import { payoutIdOfShort, shortIdOf } from '../../src/core/short-id.ts';
import { createId } from '../../src/ids.ts';
import type { PaymentWithDetails } from '../../src/rails/contract/rail.ts';
import { RAIL_FORMS } from '../../src/rails/forms.ts';
import { FILE_RAILS, RAIL_NAMES, RAILS } from '../../src/rails/index.ts';
import { schemaErrorsOf } from './xml-schema.ts';

const CONTEXT = { shortId: shortIdOf(createId('pfl')), createdAt: Date.UTC(2026, 11, 1, 8) };

function fileOf(rail: keyof typeof FILE_RAILS, payments: object[], options: object = {}): string {
  const { fileFor, options: schema } = FILE_RAILS[rail];
  const parsed = schema.parse(options);
  return [...fileFor(payments as PaymentWithDetails<never>[], { ...CONTEXT, options: parsed }).chunks].join('');
}

const DEBTOR = { name: "Shop + Sons, O'Neill", iban: 'DE02120300000000202051', bic: 'BYLADEM1001' };
const ANA = { name: 'Ana Alvarez', iban: 'ES9121000418450200051332', bic: null };

describe('the rails', () => {
  it.each(RAIL_NAMES)('%s: the form on the pages asks for each of its details', (rail) => {
    const { needed, optional } = RAIL_FORMS[rail];
    expect([...needed, ...optional].sort()).toEqual(Object.keys(RAILS[rail].details.shape).sort());
    const isOptional = (name: string) => RAILS[rail].details.shape[name]?.safeParse(undefined).success;
    expect(needed.filter(isOptional)).toEqual([]);
    expect(optional.filter(isOptional)).toEqual(optional);
    expect(RAILS[rail].name).toBe(rail);
  });

  it('a short id has no punctuation, at most 30 characters, and leads back to the payout', () => {
    for (const id of [`pay_${'0'.repeat(32)}`, `pay_${'f'.repeat(32)}`, createId('pay')]) {
      const short = shortIdOf(id);
      expect(short).toMatch(/^[A-Z0-9]{26}$/);
      expect(payoutIdOfShort(` ${short.toLowerCase()} `)).toBe(id);
    }
    for (const none of ['', 'P123', 'pay_1', `P${'Z'.repeat(25)}`]) expect(payoutIdOfShort(none)).toBeNull();
  });
});

describe('a PayPal mass payout', () => {
  const details = { email: 'ana@example.com' };

  it('has a row for each payout, no header, and the decimals of the currency', () => {
    const shortId = 'P0001';
    expect(fileOf('paypal', [{ shortId, amount: 1_999, currency: 'usd', details }])).toBe(
      'ana@example.com,19.99,USD,P0001,Payout P0001,PAYPAL\r\n',
    );
    expect(fileOf('paypal', [{ shortId, amount: 1_999, currency: 'jpy', details }])).toContain(',1999,JPY,');
    expect(fileOf('paypal', [{ shortId, amount: 2_000, currency: 'huf', details }])).toContain(',20,HUF,');
  });

  it.each([
    [1_999, 'huf', 'whole amounts in HUF'],
    [1_999, 'kwd', 'does not pay in KWD'],
  ])('refuses %d %s', (amount, currency, reason) => {
    expect(FILE_RAILS.paypal.refusalOf({ shortId: 'P1', amount, currency }, details)).toContain(reason);
  });

  it('accepts no address that a spreadsheet would evaluate', () => {
    for (const email of ['=ana@example.com', '+1@example.com', '-a@example.com', 'a,b@example.com', 'ana']) {
      expect(FILE_RAILS.paypal.details.safeParse({ email }).success, email).toBe(false);
    }
    expect(FILE_RAILS.paypal.details.parse(details)).toEqual(details);
  });
});

describe('a Wise batch', () => {
  const details = { name: 'Ana Alvarez', email: 'ana@example.com', receiverType: 'PRIVATE', iban: null };
  const payment = { shortId: 'P0001', amount: 1_999, currency: 'usd', details };

  it('has the columns of the template, ours by default', () => {
    expect(fileOf('wise', [payment])).toBe(
      'name,recipientEmail,paymentReference,receiverType,amountCurrency,amount,sourceCurrency,targetCurrency,IBAN\r\n' +
        'Ana Alvarez,ana@example.com,P0001,PRIVATE,target,19.99,USD,USD,\r\n',
    );
    expect(fileOf('wise', [payment], { header: 'name, targetCurrency,amount', sourceCurrency: 'eur' })).toBe(
      'name,targetCurrency,amount\r\nAna Alvarez,USD,19.99\r\n',
    );
    expect(fileOf('wise', [payment], { sourceCurrency: 'eur' })).toContain(',19.99,EUR,USD,');
  });

  it.each([
    ['eur', 26],
    ['gbp', 16],
    ['nzd', 12],
    ['sgd', 25],
    ['usd', 10],
  ])('has no longer a reference in %s than %d characters, by the end of which payouts differ', (currency, length) => {
    const shortId = shortIdOf(createId('pay'));
    const file = fileOf('wise', [{ ...payment, shortId, currency }], {
      header: 'name,paymentReference,amount,targetCurrency',
    });
    expect(file).toContain(`Ana Alvarez,${shortId.slice(-length)},19.99,`);
  });

  it.each(['name,amount', 'name,amount,targetCurrency,abaRoutingNumber', 'name,name,amount,targetCurrency'])(
    'refuses a template that it cannot fill: %s',
    (header) => {
      expect(FILE_RAILS.wise.options.safeParse({ header }).success).toBe(false);
    },
  );
});

describe('a SEPA credit transfer', () => {
  const payments = [
    { shortId: shortIdOf(createId('pay')), amount: 1, currency: 'eur', details: ANA },
    {
      shortId: shortIdOf(createId('pay')),
      amount: 99_999_999_999,
      currency: 'eur',
      details: { name: "D'Arcy (Ltd.) + Co", iban: 'GB29NWBK60161331926819', bic: 'NWBKGB2L' },
    },
  ];

  it('is valid under the schema, and both headers contain the number and the sum', async () => {
    const xml = fileOf('sepa', payments, { debtor: DEBTOR });
    expect(await schemaErrorsOf(xml)).toEqual([]);
    expect(xml.match(/<NbOfTxs>2<\/NbOfTxs><CtrlSum>1000000000\.00<\/CtrlSum>/g)).toHaveLength(2);
    expect(xml).toContain('<ReqdExctnDt><Dt>2026-12-01</Dt></ReqdExctnDt>');
    expect(xml).toContain('<Cdtr><Nm>D&apos;Arcy (Ltd.) + Co</Nm></Cdtr>');
    expect(xml.match(/<CdtrAgt>/g)).toHaveLength(1);
    const date = fileOf('sepa', payments, { debtor: { ...DEBTOR, bic: null }, executionDate: '2026-12-24' });
    expect(await schemaErrorsOf(date)).toEqual([]);
    expect(date).toContain('<Dt>2026-12-24</Dt>');
    expect(date).toContain('<DbtrAgt><FinInstnId><Othr><Id>NOTPROVIDED</Id></Othr></FinInstnId></DbtrAgt>');
  });

  it('the schema of this test refuses what a bank would refuse', async () => {
    const xml = fileOf('sepa', payments, { debtor: DEBTOR });
    const broken = [
      xml.replace('<PmtMtd>TRF</PmtMtd>', ''),
      xml.replace('>0.01<', '>0.015<'),
      xml.replace('Ana Alvarez', 'Ana Álvarez'),
      xml.replace(/<ChrgBr>SLEV<\/ChrgBr>/, ''),
      xml.replace('Ccy="EUR"', 'Ccy="USD"'),
    ];
    for (const one of broken) expect(await schemaErrorsOf(one)).not.toEqual([]);
  });

  it.each([
    ['ES9121000418450200051333', 'check digits'],
    ['ES912100041845020005133', 'must have 24 characters in ES'],
    ['US9121000418450200051332', 'no country with IBANs has the code US'],
    ['4111 1111 1111 1111', 'must be an IBAN'],
    [`ES91${'2'.repeat(300)}`, 'at most 50'],
  ])('refuses the IBAN %s', (iban, reason) => {
    const { error } = FILE_RAILS.sepa.details.safeParse({ name: 'Ana', iban });
    expect(error?.issues.map(({ message }) => message).join()).toContain(reason);
  });

  it.each(['Ana Ålvarez', 'Ana & Co', 'a'.repeat(71), '/Ana', 'Ana//Co', '=Ana', ' '])(
    'refuses the name %j',
    (name) => {
      expect(FILE_RAILS.sepa.details.safeParse({ name, iban: ANA.iban }).success).toBe(false);
    },
  );

  it('accepts an IBAN as people write it, and a BIC of 8 or 11 characters', () => {
    const written = { name: 'Ana', iban: 'de89 3704 0044 0532 0130 00', bic: 'cobadeff' };
    const stored = { name: 'Ana', iban: 'DE89370400440532013000', bic: 'COBADEFF' };
    expect(FILE_RAILS.sepa.details.parse(written)).toEqual(stored);
    expect(FILE_RAILS.sepa.masked(stored)).toEqual({ name: 'Ana', iban: 'DE…3000', bic: 'COBADEFF' });
    expect(FILE_RAILS.sepa.details.safeParse({ ...written, bic: 'COBADEF' }).success).toBe(false);
  });

  it.each([
    [1, 'usd', ANA.iban, 'only in EUR'],
    [1, 'eur', 'AE070331234567890123456', 'accounts in AE'],
    [100_000_000_000, 'eur', ANA.iban, '999,999,999.99'],
  ])('refuses %d %s to %s', (amount, currency, iban, reason) => {
    expect(FILE_RAILS.sepa.refusalOf({ shortId: 'P1', amount, currency }, { ...ANA, iban })).toContain(reason);
    expect(FILE_RAILS.sepa.refusalOf({ shortId: 'P1', amount: 1, currency: 'eur' }, ANA)).toBeNull();
  });
});
