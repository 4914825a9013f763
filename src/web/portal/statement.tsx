/** @jsxImportSource preact */
import { useEffect, useState } from 'preact/hooks';
import { type Answers, type Api, Failure } from './api.ts';
import { Pending } from './pieces.tsx';
import { usePortal } from './portal.tsx';
import { saveFile } from './save-file.ts';
import { fill, type Words } from './words/index.ts';

type Payout = Answers['payouts']['data'][number];
type Whole = Answers['statement'];

const PAGES_MAX = 100;

const KINDS: Readonly<Record<Whole['data'][number]['kind'], keyof Words>> = {
  commission: 'entryCommission',
  reversal: 'entryReversal',
  dispute_hold: 'entryDisputeHold',
  dispute_release: 'entryDisputeRelease',
  adjustment: 'entryAdjustment',
};

/** What a payout contains, line by line; the only thing that is printed while it is open. */
export function Statement({ payout, onClose }: { payout: Payout; onClose(): void }) {
  const { words, api, fail, startAgain } = usePortal();
  const [whole, setWhole] = useState<Whole | null>(null);
  const [isFailed, setFailed] = useState(false);
  const load = async () => {
    startAgain();
    setFailed(false);
    try {
      setWhole(await loadWhole(api, payout.id));
    } catch (failure) {
      if (failure instanceof Failure) fail(failure);
      setFailed(true);
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is opened
  useEffect(() => void load(), []);
  if (whole === null) return <Pending isFailed={isFailed} retry={load} />;
  return (
    <div class="statement">
      <StatementPage whole={whole} payout={payout} />
      <div class="actions no-print">
        <button type="button" class="button primary" onClick={() => window.print()}>
          {words.print}
        </button>
        <CsvButton id={payout.id} />
        <button type="button" class="button" onClick={onClose}>
          {words.close}
        </button>
      </div>
    </div>
  );
}

/** Saves every line, also of a statement that is too long to show. The token is in no address, so that a link would not do. */
function CsvButton({ id }: { id: string }) {
  const { words, api, fail, startAgain } = usePortal();
  const [isLoading, setLoading] = useState(false);
  const save = async () => {
    startAgain();
    setLoading(true);
    try {
      saveFile(await api.file(`payouts/${id}/statement?format=csv`), `statement-${id}.csv`);
    } catch (failure) {
      if (failure instanceof Failure) fail(failure);
    }
    setLoading(false);
  };
  return (
    <button type="button" class="button" aria-busy={isLoading} disabled={isLoading} onClick={save}>
      {words.saveCsv}
    </button>
  );
}

function StatementPage({ whole, payout }: { whole: Whole; payout: Payout }) {
  const { words, format } = usePortal();
  const { id, currency, amount, paidAt, startedAt } = payout;
  return (
    <>
      <h3>{fill(words.statementOf, { date: format.day(paidAt ?? startedAt) })}</h3>
      <p>
        {whole.programName} → {whole.partner.name}, {whole.partner.email}
      </p>
      <p class="quiet">{fill(words.payoutNumber, { id })}</p>
      <table>
        <thead class="sr-only">
          <tr>
            <th scope="col">{words.date}</th>
            <th scope="col">{words.state}</th>
            <th scope="col">{words.amount}</th>
          </tr>
        </thead>
        <tbody>
          {whole.data.map((entry) => (
            <tr key={entry.id}>
              <td class="quiet date">{format.day(entry.createdAt)}</td>
              <td>
                {words[KINDS[entry.kind]]}
                {entry.reason === null ? null : `: ${entry.reason}`}
              </td>
              <td class="number">{format.money(entry.amount, currency)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={2}>
              {words.total}
            </th>
            <td class="number">{format.money(amount, currency)}</td>
          </tr>
        </tfoot>
      </table>
    </>
  );
}

/** Every page of a statement as one. */
async function loadWhole(api: Api, id: string): Promise<Whole> {
  const path = `payouts/${id}/statement?limit=100`;
  let whole = await api.get('statement', path);
  for (let page = 1; whole.nextCursor !== null && page < PAGES_MAX; page += 1) {
    const next = await api.get('statement', `${path}&cursor=${whole.nextCursor}`);
    whole = { ...next, data: [...whole.data, ...next.data] };
  }
  return whole;
}
