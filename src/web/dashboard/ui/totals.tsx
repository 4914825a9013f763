import type { ReactNode } from 'react';
import { type Amounts, currenciesOf, formatAmount } from '../../parts/money.ts';
import { Bone } from './bone.tsx';
import { formatCount } from './counted.ts';

/** A sum of a list, and what it is a sum of. */
export interface Total {
  /** `revenue` */
  words: string;
  amounts: Amounts;
}

interface TotalsProps {
  /** Undefined while it is computed. */
  count: number | undefined;
  /** The list continues beyond the count. */
  isMore?: boolean;
  /** `['sale', 'sales']` */
  nouns: readonly [one: string, many: string];
  sums?: readonly Total[] | undefined;
  /** Why there is no sum, or what it leaves out. */
  note?: ReactNode;
}

/** The totals of a filtered list. The height is the same while it loads. */
export function Totals({ count, isMore = false, nouns, sums = [], note }: TotalsProps) {
  return (
    <section
      aria-label="Totals"
      // not each time that more rows are loaded
      aria-live={isMore ? 'off' : 'polite'}
      className="flex min-h-5 flex-wrap items-baseline gap-x-5 gap-y-0.5 text-sm text-muted-foreground"
    >
      {count === undefined ? (
        <Bone className="h-4 w-56" />
      ) : (
        <>
          <span>
            {isMore && 'More than '}
            <Figure>{formatCount(count)}</Figure> {nouns[count === 1 ? 0 : 1]}
          </span>
          {sums.map(({ words, amounts }) => {
            const currencies = currenciesOf(amounts).filter((currency) => amounts[currency] !== 0);
            if (currencies.length === 0) return null;
            return (
              <span key={words}>
                <Figure>
                  {currencies.map((currency) => formatAmount(amounts[currency] ?? 0, currency)).join(' + ')}
                </Figure>{' '}
                {words}
              </span>
            );
          })}
          {note && <span className="text-xs">{note}</span>}
        </>
      )}
    </section>
  );
}

function Figure({ children }: { children: ReactNode }) {
  return <span className="font-medium text-foreground tabular-nums">{children}</span>;
}

/** What the totals need to know about a list. */
export interface TotaledList<Row> {
  rows: readonly Row[] | undefined;
  hasNextPage: boolean;
  isPlaceholderData: boolean;
  isError: boolean;
}

interface ListTotalsProps<Row> {
  list: TotaledList<Row>;
  nouns: TotalsProps['nouns'];
  /** The totals of a whole list. */
  sumsOf?(rows: readonly Row[]): readonly Total[];
  /** The same totals from another source, for any number of rows. */
  keptSums?: readonly Total[] | undefined;
  /** Why a list with further pages has no sums. */
  note?: ReactNode;
}

/** The totals of the loaded rows, once all rows of the list are loaded. */
export function ListTotals<Row>({ list, nouns, sumsOf, keptSums, note }: ListTotalsProps<Row>) {
  const { rows, hasNextPage, isPlaceholderData, isError } = list;
  // the table says why there is nothing to add up
  if (rows === undefined && isError) return null;
  const isKnown = rows !== undefined && !isPlaceholderData;
  const isWhole = isKnown && !hasNextPage;
  return (
    <Totals
      count={isKnown ? rows.length : undefined}
      isMore={!isWhole}
      nouns={nouns}
      sums={keptSums ?? (isWhole ? sumsOf?.(rows) : undefined)}
      note={isWhole || keptSums ? undefined : note}
    />
  );
}

/** The sum of the rows by currency, in minor units. */
export function sumOfRows<Row extends { currency: string }>(
  rows: readonly Row[],
  amountOf: (row: Row) => number,
): Amounts {
  const sums: Record<string, number> = {};
  for (const row of rows) sums[row.currency] = (sums[row.currency] ?? 0) + amountOf(row);
  return sums;
}
