import { type MouseEvent, memo, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { Button } from '../../parts/button.tsx';

export interface Column<Row> {
  /** Unique in the table. */
  name: string;
  label: ReactNode;
  render(row: Row): ReactNode;
  /** Figures stand on the right. */
  align?: 'right';
  /** The smallest screen that shows it; every screen by default. */
  from?: 'sm' | 'lg' | 'xl' | '2xl';
  /** A Tailwind width. Columns keep their widths, whatever they contain. */
  width?: string;
}

const FROM = {
  sm: 'hidden sm:table-cell',
  lg: 'hidden lg:table-cell',
  xl: 'hidden xl:table-cell',
  '2xl': 'hidden 2xl:table-cell',
} as const;

interface TableProps<Row> {
  /** What it lists, for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  /** Undefined while the first page loads. */
  rows: readonly Row[] | undefined;
  idOf(row: Row): string;
  /** The address of a row; without one, rows do not open. */
  href?(row: Row): string;
  openId?: string | undefined;
  /** Shown instead of no rows. */
  empty: ReactNode;
  more?: { hasMore: boolean; isLoading: boolean; load(): void };
  /** Fewer columns, because a row is open beside it. */
  isNarrow?: boolean;
}

const PLACEHOLDER_ROWS = 8;

export function Table<Row>({ rows, empty, more, ...props }: TableProps<Row>) {
  if (rows?.length === 0) return empty;
  const columns = props.isNarrow
    ? props.columns.filter(({ from }) => from === undefined || from === 'sm')
    : props.columns;
  return (
    <div className="min-w-0">
      <div className="overflow-x-auto rounded-lg border bg-card">
        <table className="w-full table-fixed text-sm" aria-label={props.label} aria-busy={rows === undefined}>
          <thead>
            <tr className="border-b bg-muted text-left text-xs text-muted-foreground">
              {columns.map(({ name, label, align, from, width = '' }) => (
                <th
                  key={name}
                  scope="col"
                  className={`h-8 truncate px-3 font-medium ${width} ${align === 'right' ? 'text-right' : ''} ${from ? FROM[from] : ''}`}
                >
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows === undefined
              ? Array.from({ length: PLACEHOLDER_ROWS }, (_, index) => (
                  <Placeholder key={String(index)} columns={columns} />
                ))
              : rows.map((row) => {
                  const id = props.idOf(row);
                  return (
                    <TableRow
                      key={id}
                      row={row}
                      columns={columns as never}
                      href={props.href?.(row)}
                      isOpen={id === props.openId}
                    />
                  );
                })}
          </tbody>
        </table>
      </div>
      {more?.hasMore && (
        <div className="mt-3 text-center">
          <Button size="small" busy={more.isLoading} onClick={more.load}>
            {more.isLoading ? 'Loading…' : 'Show more'}
          </Button>
        </div>
      )}
    </div>
  );
}

interface TableRowProps {
  row: unknown;
  columns: readonly Column<unknown>[];
  href: string | undefined;
  isOpen: boolean;
}

const TableRow = memo(function TableRow({ row, columns, href, isOpen }: TableRowProps) {
  const [, navigate] = useLocation();
  const open = ({ target }: MouseEvent) => {
    const isOnControl = (target as Element).closest('a, button') !== null;
    if (href !== undefined && !isOnControl && getSelection()?.isCollapsed !== false) navigate(href);
  };
  return (
    <tr
      onClick={open}
      aria-current={isOpen || undefined}
      className={`border-b last:border-b-0 aria-[current]:bg-accent ${href === undefined ? '' : 'cursor-pointer hover:bg-muted'}`}
    >
      {columns.map(({ name, render, align, from }, index) => (
        <td
          key={name}
          className={`h-10 truncate px-3 py-1 ${align === 'right' ? 'text-right tabular-nums' : ''} ${from ? FROM[from] : ''}`}
        >
          {index === 0 && href !== undefined ? (
            <Link href={href} className="font-medium hover:underline">
              {render(row)}
            </Link>
          ) : (
            render(row)
          )}
        </td>
      ))}
    </tr>
  );
});

function Placeholder<Row>({ columns }: { columns: readonly Column<Row>[] }) {
  return (
    <tr className="border-b last:border-b-0">
      {columns.map(({ name, from }) => (
        <td key={name} className={`h-10 px-3 ${from ? FROM[from] : ''}`}>
          <span className="block h-3 w-2/3 rounded bg-secondary" />
        </td>
      ))}
    </tr>
  );
}

interface ListState {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage(): unknown;
}

/** The further pages of a list, for its table. */
export function moreOf(list: ListState) {
  return { hasMore: list.hasNextPage, isLoading: list.isFetchingNextPage, load: () => void list.fetchNextPage() };
}
