import { Link } from 'wouter';
import type { Answer } from '../../../parts/api.ts';
import { buttonClass } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icons.tsx';
import { useList } from '../../data/use-api.ts';
import { ProblemPage } from '../../shell/problem.tsx';
import { useMayChange } from '../../shell/session.tsx';
import { ActorName } from '../../ui/actor-name.tsx';
import { PayoutState } from '../../ui/payout-state.tsx';
import { Detail, Facts, Part } from '../../ui/split.tsx';
import { State } from '../../ui/state.tsx';
import { CopyId, Count, Id, Money, MoneyTitle, PartnerLink, Time } from '../../ui/values.tsx';
import { ENTRY_KINDS } from '../../ui/words.ts';
import { EndForm } from './end-form.tsx';
import { ToBePaid } from './send.tsx';
import { TransferPart } from './transfer.tsx';
import { usePayout } from './use-payout.ts';

type Payout = Answer<'getPayout'>;

export function PayoutDetail({ id, back }: { id: string; back: string }) {
  const { data: payout, error, refetch } = usePayout(id);
  const mayChange = useMayChange();
  return (
    <Detail
      label="Payout"
      back={back}
      title={payout ? <MoneyTitle amount={payout.amount} currency={payout.currency} /> : 'Payout'}
      actions={payout && <PayoutState payout={payout} />}
    >
      {error && <ProblemPage error={error} retry={refetch} />}
      {payout && (
        <>
          {payout.status === 'processing' && payout.transfer === null && mayChange && <ToBePaid payout={payout} />}
          {payout.transfer && <TransferPart payout={payout} transfer={payout.transfer} mayChange={mayChange} />}
          {payout.status === 'held' && payout.transfer === null && mayChange && <HeldWithoutTransfer payout={payout} />}
          <Facts
            items={[
              ['Partner', <PartnerLink id={payout.partnerId} name={payout.partnerName} />],
              ['Entries', <Count value={payout.entryCount} />],
              ['Collects since', <Time iso={payout.createdAt} />],
              ['Started', payout.processingAt && <Time iso={payout.processingAt} />],
              ['Started by', payout.processingBy && <ActorName id={payout.processingBy} />],
              ['Paid', payout.paidAt && <Time iso={payout.paidAt} />],
              ['Ended', payout.paidAt === null && payout.endedAt !== null && <Time iso={payout.endedAt} />],
              ['Ended by', isEndedByPerson(payout) && payout.endedBy && <ActorName id={payout.endedBy} />],
              ['Note', isNoteOfTransfer(payout) ? null : payout.note],
              ['Payout file', payout.fileId && <FileLink id={payout.fileId} />],
              ['Payout', <CopyId>{payout.id}</CopyId>],
            ]}
          />
          <StatementLinks payout={payout} />
          <Entries payout={payout} />
        </>
      )}
    </Detail>
  );
}

/** Somebody else tried to send it, of which nothing is stored here. */
function HeldWithoutTransfer({ payout }: { payout: Payout }) {
  return (
    <EndForm payout={payout} isSecondary>
      <p className="text-sm">
        Nobody could find out whether the provider paid it; the note says why. Look for the payment there, with this
        payout's id, before you decide: if it was paid and is marked as failed, it is paid twice.
      </p>
    </EndForm>
  );
}

/** How a transfer ended is told with it. */
function isEndedByPerson({ endedBy, transfer }: Payout): boolean {
  return endedBy !== transfer?.rail;
}

/** The service notes what became of the transfer, which says so itself. */
function isNoteOfTransfer({ note, transfer }: Payout): boolean {
  return note !== null && (note === transfer?.transferId || note === transfer?.problem);
}

/** The documents that the partner can receive. A payout that failed or was canceled pays nothing. */
function StatementLinks({ payout: { id, status } }: { payout: Payout }) {
  if (status !== 'processing' && status !== 'held' && status !== 'paid') return null;
  const address = `/api/payouts/${id}/statement`;
  return (
    <div className="print:hidden">
      <Part title="Statement">
        <p className="text-sm text-muted-foreground">
          For the partner: what each entry was for. Customers are masked, and your note is left out.
        </p>
        <div className="flex flex-wrap gap-2">
          <a href={address} target="_blank" rel="noreferrer" className={buttonClass('secondary', 'small')}>
            <Icon name="ledger" /> Open to print
          </a>
          <a
            href={`${address}?format=csv`}
            download={`statement-${id}.csv`}
            className={buttonClass('secondary', 'small')}
          >
            <Icon name="deliveries" /> CSV
          </a>
        </div>
      </Part>
    </div>
  );
}

function FileLink({ id }: { id: string }) {
  return (
    <Link href={`/payout-files/${id}`} className="text-primary hover:underline">
      <Id>{id}</Id>
    </Link>
  );
}

function Entries({ payout: { id, status, partnerId, currency } }: { payout: Payout }) {
  const isQueued = status === 'queued';
  const { rows, hasNextPage } = useList('listLedgerEntries', isQueued ? { partnerId, currency } : { payoutId: id });
  const shown = isQueued ? rows?.filter(({ payoutId }) => payoutId === null || payoutId === id) : rows;
  if (!shown?.length) return null;
  return (
    <Part title={isQueued ? 'What it collects' : 'What it pays'}>
      <ul className="flex flex-col gap-1.5 text-sm">
        {shown.map((entry) => (
          <li key={entry.id} className="flex flex-wrap gap-x-3">
            <span className="flex min-w-36 flex-1 flex-wrap items-center gap-x-3">
              {entry.saleId === null ? (
                <span className="max-w-full truncate text-muted-foreground" title={entry.reason ?? undefined}>
                  {entry.reason}
                </span>
              ) : (
                <Link href={`/sales/${entry.saleId}`} className="min-w-24 shrink-0 text-primary hover:underline">
                  <Time iso={entry.createdAt} day />
                </Link>
              )}
              <State of={ENTRY_KINDS} state={entry.kind} />
            </span>
            <span className="ml-auto">
              <Money amount={entry.amount} currency={entry.currency} />
            </span>
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <Link
          href={`/ledger?${isQueued ? `partnerId=${partnerId}` : `payoutId=${id}`}`}
          className={buttonClass('quiet', 'small')}
        >
          All entries
        </Link>
      )}
    </Part>
  );
}
