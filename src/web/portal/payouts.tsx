/** @jsxImportSource preact */
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import type { Answers } from './api.ts';
import { Empty, More, Pending, Section, State, type Tone } from './pieces.tsx';
import { useList, usePortal } from './portal.tsx';
import { Statement } from './statement.tsx';
import { Body, Cell, Head, Heading, Row, Table } from './table.ts';
import { fill, type Words } from './words/index.ts';

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
  const { items } = list;
  const close = () => {
    // the button that closes it goes with it
    document.querySelector<HTMLElement>('.payouts [aria-expanded="true"]')?.focus();
    setOpened(null);
  };
  return (
    <Section id="payouts" title={words.payouts}>
      {items === null ? <Pending {...list} /> : null}
      {items?.length === 0 && !list.hasMore ? <Empty title={words.noPayouts} hint={words.noPayoutsHint} /> : null}
      {items === null || items.length === 0 ? null : (
        <Table class="payouts">
          <caption class="sr-only">{words.payouts}</caption>
          <Head>
            <Row>
              <Heading scope="col">{words.date}</Heading>
              <Heading scope="col" class="number">
                {words.amount}
              </Heading>
              <Heading scope="col">{words.state}</Heading>
              <Heading scope="col">
                <span class="sr-only">{words.statement}</span>
              </Heading>
            </Row>
          </Head>
          <Body>
            {items.map((payout) => (
              <Fragment key={payout.id}>
                <PayoutRow payout={payout} isOpen={opened === payout.id} onOpen={setOpened} />
                {opened === payout.id ? (
                  <Row>
                    <Cell colSpan={4} class="opened">
                      <Statement payout={payout} onClose={close} />
                    </Cell>
                  </Row>
                ) : null}
              </Fragment>
            ))}
          </Body>
        </Table>
      )}
      <More list={list} />
    </Section>
  );
}

function PayoutRow({ payout, isOpen, onOpen }: { payout: Payout; isOpen: boolean; onOpen(id: string | null): void }) {
  const { words, format } = usePortal();
  const { word, tone } = STATES[payout.status];
  const date = format.day(payout.paidAt ?? payout.startedAt);
  // a payout that failed or was canceled paid nothing
  const hasStatement = payout.status === 'paid' || payout.status === 'processing';
  return (
    <Row>
      <Cell class="date">{date}</Cell>
      <Cell class="number amount">{format.money(payout.amount, payout.currency)}</Cell>
      <Cell class="status">
        <State tone={tone}>{words[word]}</State>
      </Cell>
      <Cell class="number action">
        {hasStatement ? (
          <button
            type="button"
            class="button small"
            aria-expanded={isOpen}
            aria-label={fill(words.statementOf, { date })}
            onClick={() => onOpen(isOpen ? null : payout.id)}
          >
            {words.statement}
          </button>
        ) : null}
      </Cell>
    </Row>
  );
}
