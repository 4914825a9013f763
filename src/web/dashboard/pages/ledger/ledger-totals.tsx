import type { Answer } from '../../../parts/api.ts';
import { daysOf } from '../../data/period.ts';
import { useRead } from '../../data/use-api.ts';
import { ListTotals, sumOfRows, type Total, type TotaledList } from '../../ui/totals.tsx';

type Entry = Answer<'listLedgerEntries'>['data'][number];

interface LedgerTotalsProps {
  /** The filters that are set. */
  values: { readonly period?: string; readonly partnerId?: string };
  list: TotaledList<Entry>;
}

/** The totals of the filtered entries: for a partner from the daily sums, otherwise from the rows, once all are loaded. */
export function LedgerTotals({ values, list }: LedgerTotalsProps) {
  const { period, partnerId = '', ...others } = values;
  const isKept = partnerId !== '' && Object.keys(others).length === 0;
  const query = daysOf(period, Date.now()) ?? {};
  const earnings = useRead('getPartnerEarnings', { parameters: { id: partnerId }, query }, { enabled: isKept });
  const kept = isKept && !earnings.isPlaceholderData ? earnings.data?.data : undefined;
  return (
    <ListTotals
      list={list}
      nouns={['entry', 'entries']}
      sumsOf={(entries) => [{ words: 'in all', amounts: sumOfRows(entries, ({ amount }) => amount) }]}
      keptSums={kept && sumsOf(kept)}
      note="Too many to add up: choose one partner."
    />
  );
}

function sumsOf(earnings: Answer<'getPartnerEarnings'>['data']): Total[] {
  const by = (amountOf: (one: (typeof earnings)[number]) => number) =>
    Object.fromEntries(earnings.map((one) => [one.currency, amountOf(one)]));
  return [
    { words: 'in all', amounts: by(({ earned, reversed }) => earned - reversed) },
    { words: 'earned', amounts: by(({ earned }) => earned) },
    { words: 'reversed', amounts: by(({ reversed }) => reversed) },
  ];
}
