import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { type Amounts, currenciesOf, formatAmount } from '../../parts/money.ts';
import { formatDay, formatTime, utcTime } from '../../parts/time.ts';
import { usePartnerName } from '../data/partner-names.ts';
import { FilterValue } from './filter-bar.tsx';

/** A time in the reader's zone, with UTC in its tooltip. */
export function Time({ iso, day = false }: { iso: string | null | undefined; day?: boolean }) {
  if (!iso) return <None />;
  return (
    <time dateTime={iso} title={utcTime(iso)} className="whitespace-nowrap tabular-nums">
      {day ? formatDay(iso) : formatTime(iso)}
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

/** One sum per currency, the largest first. */
export function MoneyList({ amounts, align = 'right' }: { amounts: Amounts; align?: 'left' | 'right' }) {
  const currencies = currenciesOf(amounts);
  if (currencies.length === 0) return <None />;
  return (
    <span className={`flex flex-col ${align === 'right' ? 'items-end' : 'items-start'}`}>
      {currencies.map((currency) => (
        <Money key={currency} amount={amounts[currency] ?? 0} currency={currency} />
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

/** An id in full, in a font that tells its letters apart. */
export function Id({ children }: { children: ReactNode }) {
  return <code className="font-mono text-xs break-all">{children}</code>;
}

interface PartnerLinkProps {
  id: string;
  name?: string | undefined;
  /** Underlined, so that not only its colour tells it from the text around it. */
  isInText?: boolean;
}

/** A partner's name, which leads to the partner. */
export function PartnerLink({ id, name, isInText = false }: PartnerLinkProps) {
  const known = usePartnerName(id);
  return (
    <Link href={`/partners/${id}`} className={`text-primary ${isInText ? 'underline' : 'hover:underline'}`}>
      {name ?? known ?? id}
    </Link>
  );
}

/** A partner's name; a click filters by it. */
export function PartnerValue({ id, name, onFilter }: { id: string; name?: string; onFilter(id: string): void }) {
  const known = usePartnerName(id);
  return (
    <FilterValue label="Only this partner" onFilter={() => onFilter(id)}>
      {name ?? known ?? id}
    </FilterValue>
  );
}

/** A number of things, grouped in the reader's way. */
export function Count({ value }: { value: number }) {
  return <span className="tabular-nums">{new Intl.NumberFormat().format(value)}</span>;
}
