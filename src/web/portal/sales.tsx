/** @jsxImportSource preact */
import type { Answers } from './api.ts';
import { Empty, More, Pending, State, type Tone } from './pieces.tsx';
import { useList, usePortal } from './portal.tsx';
import { Body, Cell, Head, Heading, Row, Table } from './table.ts';
import { fill, type Words } from './words/index.ts';

type Sale = Answers['sales']['data'][number];

const STATES: Readonly<Record<Sale['status'], { word: keyof Words; tone: Tone }>> = {
  pending: { word: 'salePending', tone: 'wait' },
  approved: { word: 'saleApproved', tone: 'good' },
  paid: { word: 'salePaid', tone: 'done' },
  refunded: { word: 'saleRefunded', tone: 'bad' },
  disputed: { word: 'saleDisputed', tone: 'bad' },
  rejected: { word: 'saleRejected', tone: 'bad' },
};

const REASONS: Readonly<Record<NonNullable<Sale['reversalReason']>, keyof Words>> = {
  refund: 'reasonRefund',
  chargeback: 'reasonChargeback',
  dispute: 'reasonDispute',
  self_referral: 'reasonSelfReferral',
  duplicate: 'reasonDuplicate',
};

/** The sales that the partner earned from. */
export function Sales() {
  const { words } = usePortal();
  const list = useList('sales', 8);
  const { items } = list;
  if (items === null) return <Pending {...list} />;
  if (items.length === 0) return <Empty title={words.noSales} hint={words.noSalesHint} />;
  return (
    <>
      <Table class="sales">
        <caption class="sr-only">{words.latestSales}</caption>
        <Head>
          <Row>
            <Heading scope="col">{words.customer}</Heading>
            <Heading scope="col">{words.date}</Heading>
            <Heading scope="col" class="number">
              {words.amount}
            </Heading>
            <Heading scope="col" class="number">
              {words.commission}
            </Heading>
            <Heading scope="col">{words.state}</Heading>
          </Row>
        </Head>
        <Body>
          {items.map((sale) => (
            <SaleRow key={sale.id} sale={sale} />
          ))}
        </Body>
      </Table>
      <More list={list} />
    </>
  );
}

function SaleRow({ sale }: { sale: Sale }) {
  const { words, format } = usePortal();
  const { commissionAmount, reversedCommissionAmount, currency, reversalReason } = sale;
  const { word, tone } = STATES[sale.status];
  const before = fill(words.before, { amount: format.money(commissionAmount, currency) });
  return (
    <Row>
      <Cell class="customer" title={sale.customer ?? undefined}>
        {sale.customer ?? <span class="quiet">{words.unknownCustomer}</span>}
      </Cell>
      <Cell class="date quiet">{format.day(sale.occurredAt)}</Cell>
      <Cell class="number amount quiet">{format.money(sale.amount, currency)}</Cell>
      <Cell class="number commission">
        {format.money(commissionAmount - reversedCommissionAmount, currency)}
        {reversedCommissionAmount === 0 ? null : <small>{before}</small>}
      </Cell>
      <Cell class="status">
        <State tone={tone}>{words[word]}</State>
        {reversalReason === null ? null : <small>{words[REASONS[reversalReason]]}</small>}
      </Cell>
    </Row>
  );
}
