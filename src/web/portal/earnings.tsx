/** @jsxImportSource preact */
import type { Answers } from './api.ts';
import { Pending, Section } from './pieces.tsx';
import { usePart, usePortal } from './portal.tsx';
import { Sales } from './sales.tsx';
import { fill } from './words/index.ts';

type Balance = Answers['earnings']['data'][number];
type Place = 'available' | 'held' | 'paid';

/** Where the partner's money is, and the sales behind it. */
export function Earnings() {
  const { words } = usePortal();
  const { data, ...loading } = usePart('earnings');
  return (
    <Section id="earnings" title={words.earnings}>
      {data === null ? <Pending {...loading} lines={2} /> : null}
      {data === null || data.data.length === 0 ? null : <Balances balances={data.data} />}
      <Sales />
    </Section>
  );
}

function Balances({ balances }: { balances: Balance[] }) {
  const { words } = usePortal();
  const { data: terms } = usePart('terms');
  // minor units of most currencies are worth about the same, so the largest number shows the main currency
  const sorted = balances.toSorted((a, b) => b.earned - a.earned);
  const minimums = terms?.minimumPayout ?? {};
  return (
    <div class="tiles">
      <Figure place="available" balances={sorted} hint={<AvailableHint minimums={minimums} balances={sorted} />} />
      <Figure place="held" balances={sorted} hint={words.heldHint} />
      <Figure place="paid" balances={sorted} hint={words.paidHint} />
    </div>
  );
}

/** Where the available amount goes, and what is already on its way. */
function AvailableHint({ minimums, balances }: { minimums: Record<string, number>; balances: Balance[] }) {
  const { words, format } = usePortal();
  const shown = shownIn('available', balances);
  const [main] = shown;
  const minimumOf = ({ currency }: Balance) => minimums[currency] ?? 0;
  const waiting = shown.filter((balance) => balance.available >= 0 && balance.available < minimumOf(balance));
  return (
    <>
      {main === undefined || main.available >= minimumOf(main) ? words.availableHint : null}
      {waiting.map((balance) => (
        <span key={balance.currency} class="line">
          {fill(words.availableFrom, { amount: format.money(minimumOf(balance), balance.currency) })}
        </span>
      ))}
      {balances.some(({ available }) => available < 0) ? <span class="line">{words.availableNegative}</span> : null}
      {balances.map(({ currency, processing }) =>
        processing === 0 ? null : (
          <span key={currency} class="line">
            {words.onItsWay} <span class="strong">{format.money(processing, currency)}</span>
          </span>
        ),
      )}
    </>
  );
}

/** The currencies that have something there, or the main currency when none has. */
function shownIn(place: Place, balances: Balance[]): Balance[] {
  const filled = balances.filter((balance) => balance[place] !== 0);
  return filled.length > 0 ? filled : balances.slice(0, 1);
}

function Figure({ place, balances, hint }: { place: Place; balances: Balance[]; hint: preact.ComponentChildren }) {
  const { words, format } = usePortal();
  return (
    <div class={`tile ${place}`}>
      <h3>{words[place]}</h3>
      {shownIn(place, balances).map((balance, index) => (
        <p key={balance.currency} class={index === 0 ? 'figure' : 'figure small'}>
          {format.money(balance[place], balance.currency)}
        </p>
      ))}
      <p class="quiet caption">{hint}</p>
    </div>
  );
}
