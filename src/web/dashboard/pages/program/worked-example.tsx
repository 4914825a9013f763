import type { Answer } from '../../../parts/api.ts';
import { formatAmount } from '../../../parts/money.ts';
import { DAY_MS, formatDay } from '../../../parts/time.ts';
import { termsInWords } from './terms-in-words.ts';
import { NET, TAX, workedAmounts } from './worked-amounts.ts';

type Terms = Pick<Answer<'getProgram'>, 'commission' | 'durationMonths' | 'holdDays' | 'amountBasis'>;

/** What these terms mean for one payment, before they are saved. */
export function WorkedExample({ terms }: { terms: Terms }) {
  const { commission, holdDays } = terms;
  const { currency, base, earned, afterHalf } = workedAmounts(terms);
  const money = (amount: number) => formatAmount(amount, currency);
  const lines = [
    ['Price', money(NET)],
    ['Tax', money(TAX)],
    ['The customer pays', money(NET + TAX)],
    ...(commission.type === 'percentage' ? [['Counts', money(base)]] : []),
    ['The partner earns', money(earned)],
    ['Due on', formatDay(new Date(Date.now() + holdDays * DAY_MS).toISOString())],
    ['If half is refunded', money(afterHalf)],
  ];
  return (
    <section
      aria-label="Example"
      aria-live="polite"
      className="rounded-lg border bg-muted p-4 text-sm xl:sticky xl:top-5"
    >
      <h2 className="font-semibold">For example, today</h2>
      <dl className="mt-3 flex flex-col gap-1.5">
        {lines.map(([name, value]) => (
          <div
            key={name}
            className={`flex flex-wrap justify-between gap-x-4 ${name === 'The partner earns' ? 'my-1 border-y py-2 font-semibold' : ''}`}
          >
            <dt className={name === 'The partner earns' ? '' : 'text-muted-foreground'}>{name}</dt>
            <dd className="tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-3 border-t pt-3 text-muted-foreground">{termsInWords(terms)}</p>
    </section>
  );
}
