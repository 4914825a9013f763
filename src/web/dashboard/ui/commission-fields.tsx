import type { CallInput } from '../../parts/api.ts';
import { amountText, parseAmount } from '../../parts/money.ts';
import { Field, Select } from './field.tsx';

type Commission = NonNullable<CallInput<'createPartner'>['body']['commission']>;

/** A commission while it is edited. `program` means no terms of its own. */
export interface CommissionText {
  type: 'program' | 'percentage' | 'flat';
  percent: string;
  amounts: string;
}

export function commissionText(commission: Commission | null | undefined): CommissionText {
  if (!commission) return { type: 'program', percent: '20', amounts: '' };
  if (commission.type === 'percentage') {
    return { type: 'percentage', percent: String(commission.rateBasisPoints / 100), amounts: '' };
  }
  return { type: 'flat', percent: '20', amounts: amountsText(commission.amounts) };
}

/** `5.00 USD, 4.50 EUR` */
export function amountsText(amounts: Readonly<Record<string, number>>): string {
  return Object.entries(amounts)
    .map(([currency, amount]) => `${amountText(amount, currency)} ${currency.toUpperCase()}`)
    .join(', ');
}

/** Minor units by currency; null for text that is not a list of amounts. */
export function parseAmounts(text: string): Record<string, number> | null {
  const parts = text.split(',').map((part) => part.trim().split(/\s+/));
  if (text.trim() === '') return {};
  const pairs = parts.map(
    ([amount = '', currency = '']) => [currency.toLowerCase(), parseAmount(amount, currency)] as const,
  );
  return pairs.every((pair): pair is readonly [string, number] => pair[1] !== null) ? Object.fromEntries(pairs) : null;
}

/** The value to send: null for the program's commission; undefined while it is invalid. */
export function parseCommission({ type, percent, amounts }: CommissionText): Commission | null | undefined {
  if (type === 'program') return null;
  if (type === 'flat') {
    const parsed = parseAmounts(amounts);
    return parsed === null ? undefined : { type, amounts: parsed };
  }
  const rate = Math.round(Number(percent) * 100);
  return percent.trim() === '' || Number.isNaN(rate) ? undefined : { type, rateBasisPoints: rate };
}

interface CommissionFieldsProps {
  value: CommissionText;
  onChange(value: CommissionText): void;
  /** Whether it may fall back to other terms, and whose terms they are. */
  fallback?: string;
}

export function CommissionFields({ value, onChange, fallback }: CommissionFieldsProps) {
  const types = [
    ['percentage', 'A share of each payment'],
    ['flat', 'A fixed amount per payment'],
  ] as const;
  const isUnreadable = parseCommission(value) === undefined;
  return (
    <div className="grid items-start gap-3 sm:grid-cols-2">
      <Select
        label="Commission"
        value={value.type}
        options={fallback === undefined ? types : [['program', fallback], ...types]}
        onText={(type) => onChange({ ...value, type: type as CommissionText['type'] })}
      />
      {value.type === 'percentage' && (
        <Field
          label="Percent"
          inputMode="decimal"
          required
          value={value.percent}
          onText={(percent) => onChange({ ...value, percent })}
          problem={isUnreadable ? 'A number such as 20 or 12.5' : undefined}
        />
      )}
      {value.type === 'flat' && (
        <Field
          label="Amounts"
          placeholder="5.00 USD, 4.50 EUR"
          required
          value={value.amounts}
          onText={(amounts) => onChange({ ...value, amounts })}
          hint="Payments in other currencies earn nothing."
          problem={isUnreadable ? 'Amounts such as 5.00 USD, 4.50 EUR' : undefined}
        />
      )}
    </div>
  );
}
