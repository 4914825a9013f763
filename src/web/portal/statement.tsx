/** @jsxImportSource preact */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Answers, Failure } from './api.ts';
import { BusyButton, PartFailed, Pending } from './pieces.tsx';
import { usePortal } from './portal.tsx';
import { saveFile } from './save-file.ts';
import { Body, Cell, Foot, Head, Heading, Row, Table } from './table.ts';
import { fill, type Words } from './words/index.ts';

type Payout = Answers['payouts']['data'][number];
type Entries = Answers['statement'];

/** More would be a book and take many requests; the file contains every entry. */
const PRINTED_MAX = 10_000;

const KINDS: Readonly<Record<Entries['data'][number]['kind'], keyof Words>> = {
  commission: 'entryCommission',
  reversal: 'entryReversal',
  dispute_hold: 'entryDisputeHold',
  dispute_release: 'entryDisputeRelease',
  adjustment: 'entryAdjustment',
};

/** The entries of a payout, line by line; while it is open, nothing else is printed. */
export function Statement({ payout, onClose }: { payout: Payout; onClose(): void }) {
  const { words } = usePortal();
  const { entries, isFailed, setFailed, isLoading, load, more, print } = useStatement(payout);
  if (entries === null) return <Pending isFailed={isFailed} retry={load} />;
  const hasMore = entries.nextCursor !== null;
  const isTooLong = payout.entryCount > PRINTED_MAX;
  return (
    <div class="statement">
      <StatementPage entries={entries} payout={payout} />
      {isTooLong ? <p class="quiet">{words.statementTooLong}</p> : null}
      <div class="actions no-print">
        {hasMore ? (
          <BusyButton isBusy={isLoading} onClick={more}>
            {words.more}
          </BusyButton>
        ) : null}
        {isTooLong ? null : (
          <BusyButton isMain isBusy={isLoading} onClick={print}>
            {words.print}
          </BusyButton>
        )}
        <CsvButton id={payout.id} isMain={isTooLong} setFailed={setFailed} />
        <button type="button" class="button" onClick={onClose}>
          {words.close}
        </button>
      </div>
      <PartFailed isShown={isFailed} />
    </div>
  );
}

/** The loaded part of a statement, newest entries first. Printing loads every entry first. */
function useStatement({ id }: Payout) {
  const { api, fail, startAgain } = usePortal();
  const [entries, setEntries] = useState<Entries | null>(null);
  const [isFailed, setFailed] = useState(false);
  const [isLoading, setLoading] = useState(false);
  const [printCount, setPrintCount] = useState(0);
  const isClosed = useRef(false);
  /** Loads the next page, or every page; true on success. */
  const loadPages = async (areAll: boolean): Promise<boolean> => {
    startAgain();
    setFailed(false);
    setLoading(true);
    let loaded = entries;
    try {
      do {
        const cursor = loaded === null ? '' : `&cursor=${loaded.nextCursor}`;
        const page: Entries = await api.get('statement', `payouts/${id}/statement?limit=100${cursor}`);
        loaded = { ...page, data: [...(loaded?.data ?? []), ...page.data] };
      } while (areAll && loaded.nextCursor !== null && !isClosed.current);
    } catch (failure) {
      if (failure instanceof Failure) fail(failure);
      setFailed(true);
    }
    setEntries(loaded);
    setLoading(false);
    return loaded !== null && (!areAll || loaded.nextCursor === null);
  };
  const load = () => void loadPages(false);
  const print = async () => {
    if (entries?.nextCursor === null || (await loadPages(true))) setPrintCount(printCount + 1);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is opened
  useEffect(() => {
    load();
    return () => {
      isClosed.current = true;
    };
  }, []);
  useEffect(() => {
    // by now every entry is on the page
    if (printCount > 0) window.print();
  }, [printCount]);
  return { entries, isFailed, setFailed, isLoading, load, more: load, print };
}

interface CsvButtonProps {
  id: string;
  isMain: boolean;
  setFailed(isFailed: boolean): void;
}

/**
 * Saves every line, also of a statement that is too long to show. No address contains the token, so a plain link would
 * not work.
 */
function CsvButton({ id, isMain, setFailed }: CsvButtonProps) {
  const { words, api, fail, startAgain } = usePortal();
  const [isLoading, setLoading] = useState(false);
  const save = async () => {
    startAgain();
    setFailed(false);
    setLoading(true);
    try {
      saveFile(await api.file(`payouts/${id}/statement?format=csv`), `statement-${id}.csv`);
    } catch (failure) {
      if (failure instanceof Failure) fail(failure);
      setFailed(true);
    }
    setLoading(false);
  };
  return (
    <BusyButton isMain={isMain} isBusy={isLoading} onClick={save}>
      {words.saveCsv}
    </BusyButton>
  );
}

function StatementPage({ entries, payout }: { entries: Entries; payout: Payout }) {
  const { words, format } = usePortal();
  const { id, currency, amount, paidAt, startedAt, entryCount } = payout;
  const earlierCount = entries.nextCursor === null ? 0 : entryCount - entries.data.length;
  const shownAmount = entries.data.reduce((sum, entry) => sum + entry.amount, 0);
  return (
    <>
      <h3>{fill(words.statementOf, { date: format.day(paidAt ?? startedAt) })}</h3>
      <p>
        {entries.programName} → {entries.partner.name}, {entries.partner.email}
      </p>
      <p class="quiet">{fill(words.payoutNumber, { id })}</p>
      <Table>
        <Head class="sr-only">
          <Row>
            <Heading scope="col">{words.date}</Heading>
            <Heading scope="col">{words.state}</Heading>
            <Heading scope="col">{words.amount}</Heading>
          </Row>
        </Head>
        <Body>
          {entries.data.map((entry) => (
            <Row key={entry.id}>
              <Cell class="quiet date">{format.day(entry.createdAt)}</Cell>
              <Cell>
                {words[KINDS[entry.kind]]}
                {entry.reason === null ? null : `: ${entry.reason}`}
              </Cell>
              <Cell class="number">{format.money(entry.amount, currency)}</Cell>
            </Row>
          ))}
        </Body>
        <Foot>
          {earlierCount > 0 ? (
            <Row class="earlier">
              <Heading scope="row" role="rowheader" colSpan={2}>
                {fill(words.earlierEntries, { count: format.number(earlierCount) })}
              </Heading>
              <Cell class="number">{format.money(amount - shownAmount, currency)}</Cell>
            </Row>
          ) : null}
          <Row>
            <Heading scope="row" role="rowheader" colSpan={2}>
              {words.total}
            </Heading>
            <Cell class="number">{format.money(amount, currency)}</Cell>
          </Row>
        </Foot>
      </Table>
    </>
  );
}
