import { useState } from 'react';
import { Link } from 'wouter';
import { RAIL_FORMS } from '../../../../rails/forms.ts';
import type { Answer } from '../../../parts/api.ts';
import { Button, buttonClass } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icons.tsx';
import { useChange, useList } from '../../data/use-api.ts';
import { ProblemPage } from '../../shell/problem.tsx';
import { useMayChange } from '../../shell/session.tsx';
import { ActorName } from '../../ui/actor-name.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Detail, Facts, Part } from '../../ui/split.tsx';
import { State } from '../../ui/state.tsx';
import { moreOf } from '../../ui/table.tsx';
import { Count, Id, Money, MoneyTitle, Time } from '../../ui/values.tsx';
import { PAYOUT_STATES } from '../../ui/words.ts';
import { FileState } from './file-state.tsx';
import { ResultsDialog } from './results-dialog.tsx';

type PayoutFile = Answer<'listPayoutFiles'>['data'][number];
type PayoutInFile = Answer<'listPayoutsOfFile'>['data'][number];

/** One file, what can be done with it, and its payouts. */
export function FileDetail({ id, back }: { id: string; back: string }) {
  const list = useList('listPayoutsOfFile', {}, { id });
  const file = list.data?.pages[0]?.file;
  const mayChange = useMayChange();
  return (
    <Detail
      label="Payout file"
      back={back}
      title={file ? <MoneyTitle amount={file.amount} currency={file.currency} /> : 'Payout file'}
      actions={file && <FileState canceledAt={file.canceledAt} />}
    >
      {list.error && <ProblemPage error={list.error} retry={list.refetch} />}
      {file && (
        <>
          {mayChange ? (
            <Actions file={file} />
          ) : (
            <p className="text-sm text-muted-foreground">
              It contains account details, so only members and owners may download it.
            </p>
          )}
          <Facts
            items={[
              ['For', RAIL_FORMS[file.rail].title],
              ['File', <span className="break-all">{file.fileName}</span>],
              ['Payouts', <Count value={file.payoutCount} />],
              ['Created', <Time iso={file.createdAt} />],
              ['Created by', <ActorName id={file.createdBy} />],
              ['Canceled', file.canceledAt && <Time iso={file.canceledAt} />],
              ['Payout file', <Id>{file.id}</Id>],
            ]}
          />
          <Part title="Its payouts">
            <Payouts payouts={list.rows ?? []} more={moreOf(list)} />
          </Part>
        </>
      )}
    </Detail>
  );
}

function Actions({ file: { id, fileName, canceledAt } }: { file: PayoutFile }) {
  const [isTelling, setTelling] = useState(false);
  const cancel = useChange('cancelPayoutFile', { done: 'Canceled: its payouts may go into another file' });
  if (canceledAt !== null) {
    return (
      <p className="text-sm text-muted-foreground">
        It was canceled, and its payouts may be in another file by now, so it cannot be downloaded any more.
      </p>
    );
  }
  return (
    <div className="flex flex-wrap gap-2">
      <a href={`/api/payouts/files/${id}`} download={fileName} className={buttonClass('primary', 'small')}>
        <Icon name="deliveries" /> Download
      </a>
      <Button size="small" onClick={() => setTelling(true)}>
        Record what was paid
      </Button>
      <ConfirmButton
        words="Cancel"
        question="Never sent?"
        busy={cancel.isPending}
        onConfirm={() => cancel.mutate({ parameters: { id } })}
      />
      {isTelling && <ResultsDialog id={id} onClose={() => setTelling(false)} />}
    </div>
  );
}

function Payouts({ payouts, more }: { payouts: readonly PayoutInFile[]; more: ReturnType<typeof moreOf> }) {
  return (
    <>
      <ul className="flex flex-col text-sm">
        {payouts.map(({ id, shortId, partnerName, amount, currency, status }) => (
          <li key={id} className="flex items-center gap-3 border-b py-2 last:border-b-0">
            <div className="min-w-0 flex-1">
              <Link
                href={`/payouts/${id}`}
                dir="auto"
                className="block truncate text-left text-primary hover:underline"
              >
                {partnerName}
              </Link>
              <span className="block font-mono text-xs break-all text-muted-foreground" title="Its id in the file">
                {shortId}
              </span>
            </div>
            <Money amount={amount} currency={currency} />
            <span className="flex w-20 justify-end">
              <State of={PAYOUT_STATES} state={status} />
            </span>
          </li>
        ))}
      </ul>
      {more.hasMore && (
        <Button size="small" className="self-start" busy={more.isLoading} onClick={more.load}>
          {more.isLoading ? 'Loading…' : 'Show more'}
        </Button>
      )}
    </>
  );
}
