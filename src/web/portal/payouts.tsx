/** @jsxImportSource preact */
import { Fragment } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Answers } from './api.ts';
import { Empty, More, Pending, Section, State, type Tone } from './pieces.tsx';
import { useList, usePortal } from './portal.tsx';
import { Statement } from './statement.tsx';
import type { Words } from './words/index.ts';

type Payout = Answers['payouts']['data'][number];

const STATES: Readonly<Record<Payout['status'], { word: keyof Words; tone: Tone }>> = {
  processing: { word: 'payoutProcessing', tone: 'good' },
  paid: { word: 'payoutPaid', tone: 'done' },
  failed: { word: 'payoutFailed', tone: 'bad' },
  canceled: { word: 'payoutCanceled', tone: 'wait' },
};

/** What was paid out, each with its statement. */
export function Payouts() {
  const { words } = usePortal();
  const list = useList('payouts', 6);
  const [opened, setOpened] = useState<string | null>(null);
  const table = useRef<HTMLTableElement>(null);
  const { items } = list;
  const close = () => {
    // the button that closes it goes with it
    table.current?.querySelector<HTMLElement>('[aria-expanded="true"]')?.focus();
    setOpened(null);
  };
  return (
    <Section id="payouts" title={words.payouts}>
      {items === null ? <Pending {...list} /> : null}
      {items?.length === 0 && !list.hasMore ? <Empty title={words.noPayouts} hint={words.noPayoutsHint} /> : null}
      {items === null || items.length === 0 ? null : (
        <table ref={table} class="payouts">
          <caption class="sr-only">{words.payouts}</caption>
          <thead>
            <tr>
              <th scope="col">{words.date}</th>
              <th scope="col" class="number">
                {words.amount}
              </th>
              <th scope="col">{words.state}</th>
              <th scope="col">
                <span class="sr-only">{words.statement}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {items.map((payout) => (
              <Fragment key={payout.id}>
                <PayoutRow payout={payout} isOpen={opened === payout.id} onOpen={setOpened} />
                {opened === payout.id ? (
                  <tr>
                    <td colSpan={4} class="opened">
                      <Statement payout={payout} onClose={close} />
                    </td>
                  </tr>
                ) : null}
              </Fragment>
            ))}
          </tbody>
        </table>
      )}
      <More list={list} />
    </Section>
  );
}

function PayoutRow({ payout, isOpen, onOpen }: { payout: Payout; isOpen: boolean; onOpen(id: string | null): void }) {
  const { words, format } = usePortal();
  const { word, tone } = STATES[payout.status];
  // a payout that failed or was canceled paid nothing
  const hasStatement = payout.status === 'paid' || payout.status === 'processing';
  return (
    <tr>
      <td class="date">{format.day(payout.paidAt ?? payout.startedAt)}</td>
      <td class="number amount">{format.money(payout.amount, payout.currency)}</td>
      <td class="status">
        <State tone={tone}>{words[word]}</State>
      </td>
      <td class="number action">
        {hasStatement ? (
          <button
            type="button"
            class="button small"
            aria-expanded={isOpen}
            onClick={() => onOpen(isOpen ? null : payout.id)}
          >
            {words.statement}
          </button>
        ) : null}
      </td>
    </tr>
  );
}
