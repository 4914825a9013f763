/** @jsxImportSource preact */
import type { Answers } from './api.ts';
import { Empty, More, Pending, State, type Tone } from './pieces.tsx';
import { useList, usePortal } from './portal.tsx';
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
      <table class="sales">
        <caption class="sr-only">{words.latestSales}</caption>
        <thead>
          <tr>
            <th scope="col">{words.customer}</th>
            <th scope="col">{words.date}</th>
            <th scope="col" class="number">
              {words.amount}
            </th>
            <th scope="col" class="number">
              {words.commission}
            </th>
            <th scope="col">{words.state}</th>
          </tr>
        </thead>
        <tbody>
          {items.map((sale) => (
            <SaleRow key={sale.id} sale={sale} />
          ))}
        </tbody>
      </table>
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
    <tr>
      <td class="customer" title={sale.customer ?? undefined}>
        {sale.customer ?? <span class="quiet">{words.unknownCustomer}</span>}
      </td>
      <td class="date quiet">{format.day(sale.occurredAt)}</td>
      <td class="number amount quiet">{format.money(sale.amount, currency)}</td>
      <td class="number commission">
        {format.money(commissionAmount - reversedCommissionAmount, currency)}
        {reversedCommissionAmount === 0 ? null : <small>{before}</small>}
      </td>
      <td class="status">
        <State tone={tone}>{words[word]}</State>
        {reversalReason === null ? null : <small>{words[REASONS[reversalReason]]}</small>}
      </td>
    </tr>
  );
}
