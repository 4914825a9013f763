import { type FormEvent, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icons.tsx';
import { addDays, utcDay } from '../../parts/time.ts';
import { customPeriod, daysOf, PERIODS, periodInWords } from '../data/period.ts';
import { Field } from './field.tsx';
import { Menu } from './menu.tsx';

interface DateFilterProps {
  /** `Date` by default. */
  label?: string;
  /** As in the address: `7d`, or `2026-11-01..2026-11-15`. */
  value: string | undefined;
  onChoose(value: string): void;
  /** Which time of a row the filter uses: `when it was recorded`. */
  what: string;
}

/** Narrows a list to a period. */
export function DateFilter({ label = 'Date', value, onChoose, what }: DateFilterProps) {
  const words = periodInWords(value, Date.now());
  return (
    <Menu
      title={label}
      small
      isOn={words !== null}
      label={
        <>
          <Icon name="calendar" /> {label}: {words ?? (label === 'Date' ? 'any' : 'all time')}
        </>
      }
    >
      {(close) => {
        const choose = (period: string) => {
          onChoose(period);
          close();
        };
        return (
          <div className="flex flex-col gap-3">
            <fieldset className="grid grid-cols-2 gap-1.5">
              <legend className="sr-only">Periods</legend>
              {PERIODS.map(([period, name]) => (
                <Button
                  key={period}
                  size="small"
                  look={period === value ? 'primary' : 'secondary'}
                  aria-pressed={period === value}
                  className="h-8"
                  onClick={() => choose(period)}
                >
                  {name}
                </Button>
              ))}
            </fieldset>
            <CustomForm value={value} onChoose={choose} />
            {words !== null && (
              <Button size="small" look="quiet" className="-mx-1 self-start" onClick={() => choose('')}>
                <Icon name="close" className="size-3" /> Any date
              </Button>
            )}
            <p className="text-xs text-muted-foreground">By {what}. Days begin and end at midnight in UTC.</p>
          </div>
        );
      }}
    </Menu>
  );
}

function CustomForm({ value, onChoose }: Pick<DateFilterProps, 'value' | 'onChoose'>) {
  const days = daysOf(value, Date.now());
  const [from, setFrom] = useState(days?.from ?? '');
  const [last, setLast] = useState(days === null ? utcDay(Date.now()) : addDays(days.to, -1));
  const isWrong = from !== '' && last !== '' && last < from;
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (!isWrong) onChoose(customPeriod(from, last));
  };
  return (
    <form onSubmit={send} className="flex flex-col gap-2.5 border-t pt-3">
      <div className="grid grid-cols-2 gap-2">
        <Field label="From" type="date" required max="9999-12-30" value={from} onText={setFrom} />
        <Field
          label="To (inclusive)"
          type="date"
          required
          max="9999-12-30"
          value={last}
          onText={setLast}
          problem={isWrong ? 'It is before the first day.' : undefined}
        />
      </div>
      <Button type="submit" size="small" className="h-8" disabled={isWrong}>
        Show these days
      </Button>
    </form>
  );
}
