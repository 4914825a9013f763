import { type MouseEvent, memo, type ReactNode, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useKeptFocus } from '../../parts/use-kept-focus.ts';
import { closeSoon, forgetPart, openSoon } from './reveal.ts';
import { ROLE } from './table-roles.ts';
import { usePrinting } from './use-printing.ts';

export interface Column<Row> {
  /** Unique in the table. */
  name: string;
  label: ReactNode;
  /** Depends on the row alone, because rows that are already shown are not rendered again. */
  render(row: Row): ReactNode;
  /** Figures are aligned right. */
  align?: 'right';
  /** The narrowest table that shows it; every table by default. */
  from?: 'sm' | 'lg' | 'xl' | '2xl';
  /** A Tailwind width. Columns keep their widths, whatever they contain. */
  width?: string;
  /** What a row is called, without a control. On a phone it replaces the first column, and opens the row. */
  title?(row: Row): ReactNode;
  /** On a phone, the value is on the second line of a row: at its start, or at its end below the last column. */
  under?: 'start' | 'end';
  /** The second line of the cell, on a phone. */
  second?(row: Row): ReactNode;
  /** A control before the first cell that describes the row. */
  isControl?: true;
}

/** By the width of the table: beside the navigation or an open row, a large screen has less room than a small one. */
export const FROM = {
  // less than the narrowest window with these columns leaves beside its scroll bar
  sm: 'hidden @min-[35rem]:table-cell',
  lg: 'hidden @4xl:table-cell',
  xl: 'hidden @min-[60rem]:table-cell',
  '2xl': 'hidden @min-[76rem]:table-cell',
} as const;

interface RowsProps<Row> {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  idOf(row: Row): string;
  href?(row: Row): string | undefined;
  openId?: string | undefined;
}

/** Rows that open and close together: few enough that rendering them goes unnoticed. */
const CHUNK_ROWS = 25;

/**
 * All rows of a list. Rows far from the screen are replaced by a gap of their height, so that a long list costs only
 * its visible part.
 */
export function Rows<Row>({ rows, ...props }: RowsProps<Row>) {
  const known = useRef<number | null>(null);
  const isPrinting = usePrinting();
  const chunks = Array.from({ length: Math.ceil(rows.length / CHUNK_ROWS) }, (_, index) => index * CHUNK_ROWS);
  return chunks.map((first) => (
    <Chunk
      key={first}
      {...(props as object as Shared)}
      first={first}
      rows={rows.slice(first, first + CHUNK_ROWS)}
      known={known}
      isPrinting={isPrinting}
    />
  ));
}

type Shared = Omit<RowsProps<unknown>, 'rows'>;

interface ChunkProps extends Shared {
  rows: readonly unknown[];
  /** The index of its first row in the list. */
  first: number;
  /** The height of a row, as soon as one was measured in the same list. */
  known: { current: number | null };
  isPrinting: boolean;
}

const Chunk = memo(function Chunk({ rows, first, columns, idOf, href, openId, known, isPrinting }: ChunkProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const rowHeight = useRowHeightWhileFar(body, known);
  if (rowHeight !== null && !isPrinting) {
    return (
      <tbody ref={body} aria-hidden="true">
        <tr style={{ height: rowHeight * rows.length }}>
          {/* cells that span columns would bring back, empty, the columns that a narrow table hides */}
          <td />
        </tr>
      </tbody>
    );
  }
  return (
    <tbody {...ROLE.rows} ref={body}>
      {rows.map((row, index) => {
        const id = idOf(row);
        const shown = { row, columns, href: href?.(row), isOpen: id === openId };
        // the table head is row 1
        return <Row key={id} index={first + index + 2} {...shown} />;
      })}
    </tbody>
  );
}, isSameChunk);

function isSameChunk(before: ChunkProps, now: ChunkProps): boolean {
  const openIn = ({ rows, idOf, openId }: ChunkProps) => rows.findIndex((row) => idOf(row) === openId);
  return (
    before.isPrinting === now.isPrinting &&
    before.rows.length === now.rows.length &&
    before.rows.every((row, index) => row === now.rows[index]) &&
    isSameColumns(before.columns, now.columns) &&
    before.rows.every((row) => before.href?.(row) === now.href?.(row)) &&
    openIn(before) === openIn(now)
  );
}

function isSameColumns(before: ChunkProps['columns'], now: ChunkProps['columns']): boolean {
  return before.length === now.length && before.every(({ name }, index) => name === now[index]?.name);
}

/** How far from the screen rows are still rendered. */
const NEAR = '800px 0px';

/** The height of a row while the rows are far from the screen, otherwise null. Rows with the focus stay rendered. */
function useRowHeightWhileFar(
  body: React.RefObject<HTMLTableSectionElement | null>,
  known: ChunkProps['known'],
): number | null {
  // a further page of the list starts as a gap, which opens when it is near
  const [rowHeight, setRowHeight] = useState(known.current);
  const measured = useRef(known.current);
  useEffect(() => {
    const element = body.current;
    if (element === null) return;
    // as requested last: a slow browser may not show it yet, and does not report again what stays in sight
    let isGap = element.ariaHidden !== null;
    const observer = new IntersectionObserver(
      (entries) => {
        const entry = entries.at(-1);
        if (entry === undefined) return;
        const { isIntersecting, boundingClientRect } = entry;
        const { height, top, bottom } = boundingClientRect;
        // not of a gap, whose rows may not be back yet, nor while the list is hidden
        if (element.ariaHidden === null && height > 0) {
          measured.current = height / element.rows.length;
          known.current = measured.current;
        }
        const mustStay = isIntersecting || height === 0 || element.contains(document.activeElement);
        if (!mustStay) closeSoon(element, () => setRowHeight(measured.current));
        else if (isGap) openSoon(element, Math.max(0, top - innerHeight, -bottom), () => setRowHeight(null));
        isGap = !mustStay;
      },
      { rootMargin: NEAR },
    );
    observer.observe(element);
    return () => {
      forgetPart(element);
      observer.disconnect();
    };
  }, [body, known]);
  return rowHeight;
}

/** Paper has no tooltip. Amounts are never truncated, and must not break. */
const WHOLE_ON_PAPER = 'print:wrap-anywhere print:whitespace-normal print:[&_*]:whitespace-normal';

/** Shows the full text of a truncated cell in its tooltip. */
function tellWhole({ currentTarget: cell }: MouseEvent<HTMLElement>): void {
  if (cell.scrollWidth > cell.clientWidth) cell.title = cell.textContent;
}

interface RowProps {
  row: unknown;
  index: number;
  columns: readonly Column<unknown>[];
  href: string | undefined;
  isOpen: boolean;
}

const Row = memo(
  function Row({ row, index: rowIndex, columns, href, isOpen }: RowProps) {
    const [, navigate] = useLocation();
    const line = useRef<HTMLTableRowElement>(null);
    useKeptFocus(line);
    const first = columns.findIndex(({ isControl }) => !isControl);
    const hasSecondLine = columns.some(({ second }) => second);
    const open = ({ target }: MouseEvent) => {
      const isOnControl = (target as Element).closest('a, button, label') !== null;
      if (href !== undefined && !isOnControl && getSelection()?.isCollapsed !== false) navigate(href);
    };
    return (
      <tr
        {...ROLE.row}
        ref={line}
        onClick={open}
        aria-rowindex={rowIndex}
        aria-current={isOpen || undefined}
        className={`border-b has-checked:bg-accent/60 aria-[current]:bg-accent ${href === undefined ? '' : 'cursor-pointer hover:bg-muted'}`}
      >
        {columns.map(({ name, render, align, from, second, isControl }, index) => (
          <td
            {...ROLE.cell}
            // the link in it keeps the focus when a phone is turned and another column comes first
            key={index === first ? 'first' : name}
            // a name from right to left is truncated at its end, too
            dir={align === undefined ? 'auto' : undefined}
            onMouseEnter={tellWhole}
            className={`h-10 truncate px-2 first:pl-3 last:pr-3 sm:px-3 ${hasSecondLine && !isControl ? 'py-1.5 align-top' : 'py-1'} ${index === first ? 'max-sm:whitespace-normal' : ''} ${align === 'right' ? 'text-right tabular-nums' : `text-left ${WHOLE_ON_PAPER}`} ${from ? FROM[from] : ''}`}
          >
            {index !== first ? (
              render(row)
            ) : href === undefined ? (
              <span className="max-sm:line-clamp-2 max-sm:wrap-anywhere">{render(row)}</span>
            ) : (
              <Link href={href} className="font-medium hover:underline max-sm:line-clamp-2 max-sm:wrap-anywhere">
                {render(row)}
              </Link>
            )}
            {second && (
              <span dir="ltr" className="mt-0.5 block overflow-hidden text-xs text-muted-foreground">
                {second(row)}
              </span>
            )}
          </td>
        ))}
      </tr>
    );
  },
  ({ columns, ...before }, { columns: nowColumns, ...now }) =>
    isSameColumns(columns, nowColumns) &&
    before.row === now.row &&
    before.index === now.index &&
    before.href === now.href &&
    before.isOpen === now.isOpen,
);
