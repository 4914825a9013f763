import fc from 'fast-check';
import type { CsvKind } from '../../src/exchange/csv-fields.ts';
import { MOVED_KINDS, type MovedFact, type MovedKind } from '../../src/exchange/moved/facts.ts';

/** What is imported at once: a file, or what the API of another service returns. `§` stands for the account. */
export type RandomImport =
  | { way: 'file'; kind: CsvKind; origin: string; rows: Row[] }
  | { way: 'api'; items: MovedFact[] };
type Row = Record<string, string>;

export interface Story {
  defaultUrl: string | null;
  /** The partners who are here from the beginning. */
  enrolled: string[];
  /** Payments that were reported before anybody knew whose they are. */
  parked: { invoice: string; customer: string }[];
  imports: RandomImport[];
}

/** Mostly one of the first values, sometimes one that is refused. */
const mostly = <T>(values: readonly T[], odd: readonly T[]) =>
  fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: fc.constantFrom(...odd) });
/** Often none. */
const or = <T>(none: T, ...values: T[]) => fc.constantFrom(none, none, ...values);
const withFields = <Fields>(of: fc.Arbitrary<Fields>, ...more: fc.Arbitrary<Partial<Fields>>[]) =>
  fc.tuple(of, ...more).map((parts): Fields => Object.assign({}, ...parts));

const EMAILS = ['ana§@example.com', 'ANA§@Example.com', 'bob§@example.com'];
const partner = mostly(EMAILS, ['cleo§@example.com', 'nobody', '']);
const amount = mostly(['5.00', '5', '7.00'], ['0', '-3.00', 'abc', '1,234', '5.001']);
const currency = mostly(['USD', 'usd'], ['EUR', 'JPY', 'XXX', '']);
const status = mostly(['due', 'paid', 'Paid', 'voided'], ['odd', '']);
const reference = or('', 'ch_1', 'ch_2', 'in_2');
const payout = or('', 'po_1', 'po_2');
const processor = mostly(['', 'stripe'], ['paddle', 'nonsense']);
const buyers = fc.constantFrom<Row>(
  { customer: '', saleAmount: '' },
  { customer: 'u1', saleAmount: '50.00' },
  { customer: 'u2', saleAmount: '50' },
  { customer: 'u1' },
);
const atProcessors = fc.constantFrom<Row>(
  { stripeCustomerId: 'cus_1' },
  { processor: 'stripe', processorCustomerId: 'cus_2' },
  { processor: 'shopify', processorCustomerId: '7730411298881' },
  { processor: 'shopify', processorCustomerId: 'cus_1' },
  { processor: 'paddle' },
  {},
);

const rowsOf = (dates: readonly string[]): Record<CsvKind, fc.Arbitrary<Row>> => {
  const date = mostly(dates, ['2026-02-30', '']);
  const paidDate = or('', ...dates);
  return {
    partners: fc.record({
      ...{ email: partner, name: fc.constantFrom('', 'Ana §', 'Bob §'), tenantId: or('', 't1', 't2') },
      discountCodes: or('', 'a-§', 'A-§', 'b-§', 'b-§;c-§'),
    }),
    links: fc.record({
      ...{ partner, key: mostly(['k1-§', 'k2-§', 'ana-§'], ['K1-§', 'api', 'a b', '']) },
      ...{ url: mostly(['https://shop.example.com/', 'https://shop.example.com/b'], ['nonsense', '']) },
      domain: mostly([''], ['not a host']),
    }),
    customers: withFields<Row>(
      fc.record({
        ...{ externalId: mostly(['u1', 'u2', 'u3'], ['']), partner, email: mostly(['', 'one@example.com'], ['x']) },
        ...{ stripeCustomerId: fc.constant(''), processor: fc.constant(''), processorCustomerId: fc.constant('') },
      }),
      atProcessors,
    ),
    sales: fc.record({
      ...{ invoiceId: fc.constantFrom('in_1', 'in_2', 'in_3'), partner, customer: mostly(['u1', 'u2', 'u3'], ['']) },
      ...{ amount: mostly(['50.00', '20'], ['x', '-1']), currency, date, commission: amount, status },
      ...{ grossAmount: or('', '60'), refundedAmount: or('', '', '', '10'), reference, processor, payout, paidDate },
      customerEmail: or('', 'one@example.com'),
    }),
    commissions: withFields<Row>(
      fc.record({
        ...{
          id: mostly(['c_1', 'c_2', 'c_3', 'c_4'], ['']),
          partner,
          amount,
          currency,
          status,
          date,
          payout,
          paidDate,
        },
        ...{ customer: fc.constant(''), saleAmount: fc.constant(''), invoiceId: or('', 'in_1', 'in_2'), reference },
        processor,
      }),
      buyers,
    ),
    payouts: fc.record({
      ...{ id: mostly(['po_1', 'po_2'], ['']), partner, amount: mostly(['5.00', '7.00', '12'], ['-1', '0']), currency },
      ...{ status: mostly(['paid'], ['due']), date },
    }),
  };
};

const id = (prefix: string, max: number) => fc.nat({ max }).map((n) => `${prefix}_${n}`);
const ofKind = <Kind extends MovedKind>(kind: Kind) => ({ kind: fc.constant(kind) });
type Facts = { [Kind in MovedKind]: fc.Arbitrary<Extract<MovedFact, { kind: Kind }>> };

const factsOf = (dates: readonly string[]): Facts => {
  const time = fc.constantFrom(...dates.map((date) => Date.parse(date)));
  const money = fc.constantFrom('usd', 'usd', 'usd', 'eur');
  const partnerId = id('p', 3);
  const stripe = (customerId: string) => ({ processor: 'stripe' as const, customerId });
  const person = {
    ...{ externalId: id('u', 2), email: or(null, 'one@example.com', 'nonsense'), name: fc.constant(null) },
    atProcessor: or(null, stripe('cus_1'), stripe('cus_2')),
  };
  const sale = fc.record({
    ...{ customer: fc.record(person), amountMinor: fc.constant(5_000), grossMinor: or(5_000, 6_000), currency: money },
    refundedMinor: fc.constant(0),
  });
  return {
    program: fc.record({
      ...{ ...ofKind('program'), id: id('g', 1), name: fc.constantFrom('Program', 'Other'), holdDays: or(null, 10) },
      commission: fc.constantFrom({ type: 'percentage' as const, rateBasisPoints: 1_000 }, null),
      ...{ durationMonths: or(null, 12), minimumPayout: fc.constant({}), viaParameters: or(['via'], ['ref']) },
    }),
    partner: fc.record({
      ...{ ...ofKind('partner'), id: partnerId, programId: or(null, 'g_0', 'g_1'), email: partner },
      ...{ name: fc.constantFrom('Ana §', 'Bob §'), tenantId: or(null, 't1', 't2') },
    }),
    link: fc.record({
      ...{ ...ofKind('link'), id: id('l', 2), partnerId, domain: fc.constant(null) },
      ...{ key: mostly(['k1-§', 'k2-§', 'ana-§'], ['a b']), url: fc.constant('https://shop.example.com/') },
    }),
    code: fc.record({
      ...{ ...ofKind('code'), id: id('k', 2), partnerId, code: mostly(['a-§', 'A-§', 'b-§', 'c-§'], ['']) },
    }),
    customer: fc.record({ ...ofKind('customer'), id: id('r', 2), partnerId, ...person }),
    commission: fc
      .record({
        ...{ ...ofKind('commission'), id: id('c', 3), partnerId, amountMinor: mostly([500, 700], [0, -300]) },
        ...{ currency: money, status: fc.constantFrom('open' as const, 'paid' as const, 'reversed' as const) },
        ...{ occurredAt: time, dueAt: fc.constant(null), paidAt: fc.option(time) },
        payout: fc.option(fc.record({ id: id('po', 1), paidAt: time })),
        payment: fc.record({
          processor: fc.constantFrom('stripe' as const, 'custom' as const),
          ...{ invoiceId: or(null, 'in_1', 'in_2', 'in_3'), references: or<string[]>([], ['ch_1'], ['ch_2']) },
        }),
        sale: fc.option(sale),
      })
      .map((fact) => (fact.status === 'paid' ? fact : { ...fact, paidAt: null, payout: null })),
    payout: fc.record({
      ...{ ...ofKind('payout'), id: id('po', 1), partnerId, currency: money, paidAt: time },
      amountMinor: mostly([500, 700, 1_000, 1_200], [0, -100]),
    }),
  };
};

const FACTS_MAX: Record<MovedKind, number> = {
  ...{ program: 2, partner: 4, link: 3, code: 4, customer: 4, commission: 6, payout: 4 },
};

/** A service lists all of its partners each time. */
function withEarlierPartners(imports: readonly RandomImport[]): RandomImport[] {
  const earlier: MovedFact[] = [];
  return imports.map((each) => {
    if (each.way === 'file') return each;
    const items = [...earlier, ...each.items].toSorted((one, other) => orderOf(one) - orderOf(other));
    earlier.push(...each.items.filter(({ kind }) => kind === 'partner'));
    return { ...each, items };
  });
}

const orderOf = ({ kind }: MovedFact) => MOVED_KINDS.indexOf(kind);

/**
 * Some imports, one after another. Which parked payments a customer brings is known when that is stored, so that only files,
 * each of which has one kind of record, meet them.
 *
 * @param dates of which each record has some; one if no record may contradict another
 */
export function storiesOf(dates: readonly string[]): fc.Arbitrary<Story> {
  const [rows, facts] = [rowsOf(dates), factsOf(dates)];
  const file = fc.constantFrom(...(Object.keys(rows) as CsvKind[])).chain((kind) =>
    fc.record({
      ...{ way: fc.constant('file' as const), kind: fc.constant(kind) },
      origin: fc.constantFrom('Old service', 'Rewardful'),
      rows: fc.array(rows[kind], { minLength: 1, maxLength: 8 }),
    }),
  );
  const lists = MOVED_KINDS.map((kind) => fc.array<MovedFact>(facts[kind], { maxLength: FACTS_MAX[kind] }));
  const api = fc.tuple(...lists).map((items): RandomImport => ({ way: 'api', items: items.flat() }));
  const account = {
    defaultUrl: fc.constantFrom(null, 'https://shop.example.com/'),
    enrolled: fc.subarray(['ana', 'bob']),
  };
  const payment = fc.record({ invoice: id('in', 3), customer: fc.constantFrom('cus_1', 'cus_2') });
  const some = { minLength: 1, maxLength: 4 };
  return fc.oneof(
    fc.record({ ...account, parked: fc.array(payment, { maxLength: 2 }), imports: fc.array(file, some) }),
    fc.record({
      ...{ ...account, parked: fc.constant<Story['parked']>([]) },
      imports: fc.array(fc.oneof(file, api), some).map(withEarlierPartners),
    }),
  );
}
