import type { Answer } from '../../../parts/api.ts';
import { daysOf } from '../../data/period.ts';
import { useRead } from '../../data/use-api.ts';
import { ListTotals, sumOfRows, type TotaledList, Totals } from '../../ui/totals.tsx';

type Sale = Answer<'listSales'>['data'][number];

const NOUNS = ['sale', 'sales'] as const;

interface SaleTotalsProps {
  /** The filters that are set. */
  values: { readonly period?: string; readonly partnerId?: string };
  list: TotaledList<Sale>;
}

/**
 * The totals of the filtered sales: from the sums per day and partner where those exist, otherwise from the rows, once
 * all are loaded.
 */
export function SaleTotals({ values, list }: SaleTotalsProps) {
  const { period, partnerId, ...others } = values;
  const days = daysOf(period, Date.now());
  const isKept = days !== null && Object.keys(others).length === 0;
  const query = { ...days, interval: 'month', ...(partnerId && { partnerId }) } as const;
  const { data, error, isPlaceholderData } = useRead('getStatistics', { query }, { enabled: isKept });
  if (!isKept || error !== null) {
    return (
      <ListTotals
        list={list}
        nouns={NOUNS}
        sumsOf={(sales) => [
          // a duplicate is among the rows, but is not revenue
          { words: 'in all', amounts: sumOfRows(sales, ({ amount }) => amount) },
          { words: 'commission', amounts: sumOfRows(sales, commissionOf) },
        ]}
        note="Too many to add up: filter by date and partner only."
      />
    );
  }
  const totals = isPlaceholderData ? undefined : data?.totals;
  return (
    <Totals
      count={totals?.sales}
      nouns={NOUNS}
      sums={
        totals && [
          { words: 'revenue', amounts: totals.revenue },
          { words: 'commission', amounts: totals.commission },
        ]
      }
      note="Excluding duplicates and voided sales."
    />
  );
}

function commissionOf({ commissionAmount, reversedCommissionAmount }: Sale): number {
  return commissionAmount - reversedCommissionAmount;
}
