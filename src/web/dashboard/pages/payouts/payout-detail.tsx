import { useState } from 'react';
import { Link } from 'wouter';
import type { Answer } from '../../../parts/api.ts';
import { buttonClass } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icons.tsx';
import { useChange, useList, useRead } from '../../data/use-api.ts';
import { ProblemPage } from '../../shell/problem.tsx';
import { useMayChange } from '../../shell/session.tsx';
import { ActorName } from '../../ui/actor-name.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Field } from '../../ui/field.tsx';
import { Detail, Facts, Part } from '../../ui/split.tsx';
import { State } from '../../ui/state.tsx';
import { useUnsent } from '../../ui/unsent.ts';
import { CopyId, Count, Id, Money, MoneyTitle, PartnerLink, Time } from '../../ui/values.tsx';
import { ENTRY_KINDS, PAYOUT_STATES } from '../../ui/words.ts';

type Payout = Answer<'getPayout'>;

export function PayoutDetail({ id, back }: { id: string; back: string }) {
  const { data: payout, error, refetch } = useRead('getPayout', { parameters: { id } });
  const mayChange = useMayChange();
  return (
    <Detail
      label="Payout"
      back={back}
      title={payout ? <MoneyTitle amount={payout.amount} currency={payout.currency} /> : 'Payout'}
      actions={payout && <State of={PAYOUT_STATES} state={payout.status} />}
    >
      {error && <ProblemPage error={error} retry={refetch} />}
      {payout && (
        <>
          {payout.status === 'processing' && mayChange && <EndForm payout={payout} />}
          <Facts
            items={[
              ['Partner', <PartnerLink id={payout.partnerId} name={payout.partnerName} />],
              ['Entries', <Count value={payout.entryCount} />],
              ['Collects since', <Time iso={payout.createdAt} />],
              ['Started', payout.processingAt && <Time iso={payout.processingAt} />],
              ['Started by', payout.processingBy && <ActorName id={payout.processingBy} />],
              ['Paid', payout.paidAt && <Time iso={payout.paidAt} />],
              ['Ended', payout.paidAt === null && payout.endedAt !== null && <Time iso={payout.endedAt} />],
              ['Ended by', payout.endedBy && <ActorName id={payout.endedBy} />],
              ['Note', payout.note],
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

/** The documents that the partner can receive. A payout that failed or was canceled pays nothing. */
function StatementLinks({ payout: { id, status } }: { payout: Payout }) {
  if (status !== 'processing' && status !== 'paid') return null;
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

/** Sets the outcome of the payment, which is final. */
function EndForm({ payout: { id, fileId } }: { payout: Payout }) {
  const [note, setNote] = useState('');
  const paid = useChange('markPayoutPaid', { done: 'Marked as paid' });
  const failed = useChange('markPayoutFailed', { done: 'Marked as failed: its entries wait for the next run' });
  const canceled = useChange('cancelPayout', { done: 'Canceled: its entries wait for the next run' });
  const input = { parameters: { id }, body: { note: note || null } };
  const busy = paid.isPending || failed.isPending || canceled.isPending;
  const unsent = useUnsent<HTMLDivElement>(busy, paid.error ?? failed.error ?? canceled.error);
  return (
    <div {...unsent} className="flex flex-col gap-3 rounded-md border p-3">
      {fileId !== null && (
        <p className="text-sm">
          It is in a{' '}
          <Link href={`/payout-files/${fileId}`} className="text-primary underline">
            payout file
          </Link>{' '}
          that is in use. It failed only if the bank or provider refused it. If the file was never sent, cancel the
          file.
        </p>
      )}
      <Field label="Note" value={note} onText={setNote} hint="The bank's reference, or the reason." />
      <div className="flex flex-wrap gap-2">
        <ConfirmButton
          words="Mark as paid"
          question="Did the money arrive?"
          look="primary"
          busy={busy}
          onConfirm={() => paid.mutate(input)}
        />
        <ConfirmButton
          words="It failed"
          question="Did the bank refuse it?"
          look="secondary"
          busy={busy}
          onConfirm={() => failed.mutate(input)}
        />
        {fileId === null && (
          <ConfirmButton
            words="Cancel it"
            question="Was it never sent?"
            look="secondary"
            busy={busy}
            onConfirm={() => canceled.mutate(input)}
          />
        )}
      </div>
    </div>
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
