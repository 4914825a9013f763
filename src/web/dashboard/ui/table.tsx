import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from '../../parts/button.tsx';
import { ListProblem } from './list-problem.tsx';
import { phoneColumns, useIsPhone } from './phone-columns.tsx';
import { useRowKeys } from './row-keys.ts';
import { STALE } from './stale.ts';
import { ROLE } from './table-roles.ts';
import { type Column, FROM, Rows } from './table-rows.tsx';

export type { Column };

interface MoreRows {
  /** The rows match the last filters, until those of the new ones arrive. */
  isStale: boolean;
  /** Why there are no rows, or why they may be old. */
  error: Error | null;
  reload(): void;
  isReloading: boolean;
  hasMore: boolean;
  isLoading: boolean;
  /** The last attempt failed: the reader must request another one. */
  isFailed: boolean;
  load(): void;
}

interface TableProps<Row> {
  /** What it lists, for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  /** Undefined while the first page loads. */
  rows: readonly Row[] | undefined;
  idOf(row: Row): string;
  /** The address of a row; a row without one does not open. */
  href?(row: Row): string | undefined;
  openId?: string | undefined;
  /** Shown when there are no rows. */
  empty: ReactNode;
  more?: MoreRows;
  isInDialog?: boolean;
}

const PLACEHOLDER_ROWS = 8;

/** How far above the end of the list the next page is requested. */
const LOAD_AHEAD = '600px 0px';

export function Table<Row>({ rows, empty, more, ...props }: TableProps<Row>) {
  useRowKeys(rows ?? [], props);
  const isPhone = useIsPhone();
  if (rows === undefined && more?.error) return <ListProblem error={more.error} retry={more.reload} />;
  // rows may be hidden, and those of the next page shown
  if (rows?.length === 0 && !more?.hasMore) return empty;
  // a dialog scrolls by itself, and has no page header above it
  const head = props.isInDialog ? 'top-0' : 'top-(--bar)';
  const columns = isPhone ? phoneColumns(props.columns) : props.columns;
  return (
    <div className="min-w-0">
      {rows !== undefined && more?.error && !more.isFailed && <OutOfDate {...more} error={more.error} />}
      {/* clipped rather than scrolled, because the head sticks to the window */}
      <div className="@container overflow-clip rounded-lg border bg-card">
        <table
          {...ROLE.table}
          className={`w-full table-fixed text-sm [&>tbody:last-child>tr:last-child]:border-b-0 ${more?.isStale ? STALE : ''}`}
          aria-label={props.label}
          aria-busy={rows === undefined || more?.isStale === true}
          aria-rowcount={rows === undefined || more?.hasMore ? -1 : rows.length + 1}
        >
          <thead {...ROLE.rows}>
            <tr {...ROLE.row} aria-rowindex={1} className="text-left text-xs text-muted-foreground">
              {columns.map(({ name, label, align, from, width = '' }) => (
                <th
                  {...ROLE.heading}
                  key={name}
                  scope="col"
                  className={`sticky z-[1] h-8 truncate bg-muted px-2 font-medium first:pl-3 last:pr-3 sm:px-3 shadow-[inset_0_-1px_var(--border)] ${head} ${width} ${align === 'right' ? 'text-right' : ''} ${from ? FROM[from] : ''}`}
                >
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          {rows === undefined ? (
            <tbody>
              {Array.from({ length: PLACEHOLDER_ROWS }, (_, index) => (
                <Placeholder key={String(index)} columns={columns} />
              ))}
            </tbody>
          ) : (
            <Rows {...props} columns={columns} rows={rows} />
          )}
        </table>
      </div>
      {more?.hasMore && <More {...more} />}
    </div>
  );
}

/** Rows that could not be read again: what was just changed may be missing. */
function OutOfDate({ error, isReloading, reload }: MoreRows & { error: Error }) {
  return (
    <div role="alert" className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-2 text-sm text-destructive">
      <p className="min-w-0 wrap-anywhere">This list may be out of date. {error.message}</p>
      <Button size="small" busy={isReloading} onClick={reload}>
        Try again
      </Button>
    </div>
  );
}

/** Loads the next page before the end is reached; the button is for readers who get there in another way. */
function More({ isLoading, isFailed, error, load }: MoreRows) {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isLoading || isFailed || end.current === null) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && load(), {
      rootMargin: LOAD_AHEAD,
    });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [isLoading, isFailed, load]);
  return (
    <div ref={end} className="mt-3 flex flex-col items-center gap-2">
      {isFailed && error && (
        <p role="alert" className="text-sm wrap-anywhere text-destructive">
          {error.message}
        </p>
      )}
      <Button size="small" busy={isLoading} onClick={load}>
        {isLoading ? 'Loading…' : 'Show more'}
      </Button>
    </div>
  );
}

function Placeholder<Row>({ columns }: { columns: readonly Column<Row>[] }) {
  return (
    <tr className="border-b">
      {columns.map(({ name, from, align, second }) => (
        <td key={name} className={`h-10 px-2 py-1 first:pl-3 last:pr-3 sm:px-3 ${from ? FROM[from] : ''}`}>
          <span className={`my-1 block h-3 w-2/3 rounded bg-secondary ${align === 'right' ? 'ml-auto' : ''}`} />
          {second && (
            <span
              className={`mt-3 mb-2 block h-2.5 w-1/2 rounded bg-secondary ${align === 'right' ? 'ml-auto' : ''}`}
            />
          )}
        </td>
      ))}
    </tr>
  );
}

interface ListState {
  error: Error | null;
  isPlaceholderData: boolean;
  refetch(): unknown;
  isRefetching: boolean;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  fetchNextPage(options: { cancelRefetch: boolean }): unknown;
}

/** The further pages of a list, for its table. */
export function moreOf(list: ListState) {
  const { hasNextPage: hasMore, isFetchingNextPage: isLoading, isFetchNextPageError: isFailed } = list;
  return {
    ...{ isStale: list.isPlaceholderData, hasMore, isLoading, isFailed, error: list.error },
    // while rows are read again after a change, the next page waits: it would cancel that, and they would stay old
    load: () => void list.fetchNextPage({ cancelRefetch: false }),
    reload: () => void list.refetch(),
    isReloading: list.isRefetching,
  };
}
