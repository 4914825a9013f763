import { Fragment, type ReactNode, useEffect, useState } from 'react';
import { Link } from 'wouter';
import { CopyButton } from '../../parts/copy-button.tsx';
import { type Amounts, currenciesOf, formatAmount } from '../../parts/money.ts';
import { formatDay, formatTime, timeAgo, utcTime } from '../../parts/time.ts';
import { usePartnerName } from '../data/partner-names.ts';
import { formatCount } from './counted.ts';
import { FilterValue } from './filter-bar.tsx';

/** A time in the reader's zone; its tooltip shows how long ago it was, and UTC. */
export function Time({ iso, day = false }: { iso: string | null | undefined; day?: boolean }) {
  if (!iso) return <None />;
  return (
    <time dateTime={iso} title={tooltipOf(iso)} dir="auto" className="tabular-nums">
      {day ? formatDay(iso) : formatTime(iso)}
    </time>
  );
}

function tooltipOf(iso: string): string {
  return `${timeAgo(iso, Date.now())} · ${utcTime(iso)}`;
}

const MINUTE_MS = 60_000;
const AGO_MAX_MS = 7 * 24 * 60 * MINUTE_MS;

/** How long ago something was last seen, while that is a matter of days; the tooltip shows the exact time. */
export function Ago({ iso }: { iso: string | null | undefined }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  if (!iso || now - Date.parse(iso) > AGO_MAX_MS) return <Time iso={iso} />;
  return (
    <time dateTime={iso} title={`${formatTime(iso)} · ${utcTime(iso)}`} dir="auto" className="tabular-nums">
      {timeAgo(iso, now)}
    </time>
  );
}

interface MoneyProps {
  amount: number;
  currency: string;
  className?: string;
}

export function Money({ amount, currency, className = '' }: MoneyProps) {
  return <span className={`whitespace-nowrap tabular-nums ${className}`}>{formatAmount(amount, currency)}</span>;
}

/** As many characters as a column of amounts shows at full size, in a narrow table and in a wide one. */
const AMOUNT_LENGTH_MAX = 10;
const WIDE_AMOUNT_LENGTH_MAX = 14;

/** An amount in a table. A long one is smaller but never truncated, because a part of it would be another amount. */
export function MoneyCell({ amount, currency, className = '' }: MoneyProps) {
  const text = formatAmount(amount, currency);
  if (text.length <= AMOUNT_LENGTH_MAX) return <Money amount={amount} currency={currency} className={className} />;
  const inWideTable = text.length <= WIDE_AMOUNT_LENGTH_MAX ? '@min-[44rem]:text-sm @min-[44rem]:tracking-normal' : '';
  return (
    <span className={`text-xs tracking-tighter whitespace-normal tabular-nums ${inWideTable} ${className}`}>
      <Groups text={text} />
    </span>
  );
}

/** An amount in a heading, which breaks between groups of digits instead of being cut off. */
export function MoneyTitle({ amount, currency }: Omit<MoneyProps, 'className'>) {
  return (
    <span className="tabular-nums">
      <Groups text={formatAmount(amount, currency)} />
    </span>
  );
}

/** A code beside the number, such as `KWD`, may be on a line of its own, so that the number breaks only if it must. */
function Groups({ text }: { text: string }) {
  const parts = text.split(/(?<=\p{L})\s|\s(?=\p{L})/u);
  if (parts.length === 1) return <Digits text={text} />;
  return parts.map((part, index) => (
    <Fragment key={part}>
      {index > 0 && ' '}
      <span className="inline-block">
        <Digits text={part} />
      </span>
    </Fragment>
  ));
}

function Digits({ text }: { text: string }) {
  // the digits of any language
  const groups = text.split(/(?<=\P{Nd})(?=\p{Nd})/u);
  return groups.map((group, index) => (
    <Fragment key={`${String(index)}${group}`}>
      {index > 1 && index < groups.length - 1 && <wbr />}
      {group}
    </Fragment>
  ));
}

/** One sum per currency, the largest first. */
export function MoneyList({ amounts, align = 'right' }: { amounts: Amounts; align?: 'left' | 'right' }) {
  const currencies = currenciesOf(amounts);
  const Each = align === 'right' ? MoneyCell : Money;
  if (currencies.length === 0) return <None />;
  return (
    <span className={`flex flex-col ${align === 'right' ? 'items-end' : 'items-start'}`}>
      {currencies.map((currency) => (
        <Each key={currency} amount={amounts[currency] ?? 0} currency={currency} />
      ))}
    </span>
  );
}

export function None() {
  return (
    <span className="text-muted-foreground" title="None">
      –
    </span>
  );
}

/** An id in full, in a font with clearly distinct letters. */
export function Id({ children }: { children: ReactNode }) {
  return <code className="font-mono text-xs break-all">{children}</code>;
}

/** An id with a button that copies it. */
export function CopyId({ children: id }: { children: string }) {
  return (
    <span className="group/id inline-flex max-w-full items-start gap-1">
      <Id>{id}</Id>
      <span className="-my-1 opacity-0 transition-opacity group-hover/id:opacity-100 focus-within:opacity-100 pointer-coarse:opacity-100">
        <CopyButton text={id} label={`Copy ${id}`} short tiny />
      </span>
    </span>
  );
}

/** The beginning and the end of an id, which distinguish it in a list; the tooltip shows it in full. */
export function ShortId({ children: id }: { children: string }) {
  const short = id.replace(/^([a-z]+_)\w+(\w{8})$/, '$1…$2');
  return (
    <code className="font-mono text-xs" title={id}>
      {short}
    </code>
  );
}

interface PartnerLinkProps {
  id: string;
  name?: string | undefined;
  /** Underlined, so that it differs from the surrounding text by more than its color. */
  isInText?: boolean;
  /** A cell takes the direction of its text, and would not see it inside an isolated part. */
  isInCell?: boolean;
}

/** A partner's name, linked to the partner. */
export function PartnerLink({ id, name, isInText = false, isInCell = false }: PartnerLinkProps) {
  const words = usePartnerName(id, name) ?? id;
  return (
    <Link href={`/partners/${id}`} className={`text-primary ${isInText ? 'underline' : 'hover:underline'}`}>
      {isInCell ? words : <bdi>{words}</bdi>}
    </Link>
  );
}

/** A partner's name; a click on it sets a filter. */
export function PartnerValue({ id, name, onFilter }: { id: string; name?: string; onFilter(id: string): void }) {
  const words = usePartnerName(id, name);
  return (
    <FilterValue label={`Only this partner: ${words ?? id}`} onFilter={() => onFilter(id)}>
      {words ?? id}
    </FilterValue>
  );
}

/** A count, grouped as in the reader's language. */
export function Count({ value }: { value: number }) {
  return <span className="tabular-nums">{formatCount(value)}</span>;
}
