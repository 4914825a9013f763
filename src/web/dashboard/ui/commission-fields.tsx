import { type CommissionText, parseCommission } from './commission-text.ts';
import { Field, Select } from './field.tsx';

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
    <div className="grid items-start gap-4 sm:grid-cols-2 *:only:col-span-full">
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
          problem={isUnreadable ? 'A number from 0 to 100, such as 12.5, with at most two decimals' : undefined}
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
