import { type ReactNode, useState } from 'react';
import type { Answer } from '../../../parts/api.ts';
import { Button } from '../../../parts/button.tsx';
import { useChange } from '../../data/use-api.ts';
import { ActorName } from '../../ui/actor-name.tsx';
import { Code } from '../../ui/empty.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { asSentence } from '../../ui/sentence.ts';
import { Facts, Part } from '../../ui/split.tsx';
import { ModeBadge } from '../../ui/stripe.tsx';
import { CopyId, Count, Id, Time } from '../../ui/values.tsx';
import { EndForm } from './end-form.tsx';

type Payout = Answer<'getPayout'>;
export type Transfer = NonNullable<Payout['transfer']>;

interface TransferProps {
  payout: Payout;
  transfer: Transfer;
  mayChange: boolean;
}

/** How a payout is sent by Stripe, and what became of it. */
export function TransferPart({ payout, transfer, mayChange }: TransferProps) {
  const { mode, status, destination, transferId, problem, attempts, createdAt, createdBy, nextAttemptAt } = transfer;
  const isSending = status === 'sending';
  return (
    <Part title="Transfer by Stripe" actions={<ModeBadge mode={mode} />}>
      {/* announced when it changes */}
      <div role="status" className="flex flex-col gap-1.5 text-sm">
        <Stage transfer={transfer} />
      </div>
      {isSending && <ProgressBar label="Transfer" />}
      {status === 'held' && <Held payout={payout} transfer={transfer} mayChange={mayChange} />}
      <Facts
        items={[
          ['To', destination && <Id>{destination}</Id>],
          ['Transfer', transferId && <TransferId id={transferId} mode={mode} />],
          ['Attempts', attempts > 0 && (attempts > 1 || isSending) && <Count value={attempts} />],
          ['Next attempt', isSending && problem !== null && nextAttemptAt && <Time iso={nextAttemptAt} />],
          ['Ordered', <Time iso={createdAt} />],
          ['Ordered by', <ActorName id={createdBy} />],
        ]}
      />
    </Part>
  );
}

/** What happens, or what became of it and why. */
function Stage({ transfer: { mode, status, attempts, problem } }: { transfer: Transfer }) {
  switch (status) {
    case 'sending':
      if (problem === null) {
        return <p>{attempts === 0 ? 'Stripe gets the order in a moment…' : 'Waiting for the answer of Stripe…'}</p>;
      }
      return (
        <>
          <p>Waits, and tries again by itself. It is paid once, however often it is tried.</p>
          <Problem text={problem} isPassing />
        </>
      );
    case 'held':
      return (
        <>
          <p className="font-medium">It is not certain whether the partner was paid: the decision is yours.</p>
          {problem !== null && <Problem text={problem} />}
        </>
      );
    case 'sent':
      return <p>{mode === 'test' ? 'Sent, but no real money has moved.' : 'The transfer was made.'}</p>;
    case 'failed':
      return (
        <>
          <p>The transfer was not made. The entries of this payout wait for the next run.</p>
          {problem !== null && <Problem text={problem} />}
        </>
      );
  }
}

function Problem({ text, isPassing = false }: { text: string; isPassing?: boolean }) {
  const look = isPassing ? 'bg-muted text-muted-foreground' : 'bg-danger-surface text-destructive';
  return <p className={`rounded-md px-3 py-2 wrap-anywhere ${look}`}>{asSentence(text)}</p>;
}

/** What a person does about a transfer that may have been made. */
function Held({ payout, transfer, mayChange }: TransferProps) {
  return (
    <div className="flex flex-col gap-3 text-sm">
      <p>
        Look in{' '}
        <StripeLink path="connect/transfers" mode={transfer.mode}>
          Stripe's transfers
        </StripeLink>{' '}
        for this transfer group:
      </p>
      <Code text={`payout_${payout.id}`} label="Copy the transfer group" />
      {mayChange && (
        <>
          <LookAgain payoutId={payout.id} isLooking={transfer.nextAttemptAt !== null} />
          <EndForm payout={payout} isSecondary>
            <p>
              Then say what you found. If Stripe has no such transfer, or all of it was taken back, it failed: the next
              payout contains its entries again. If it was made and is marked as failed, the partner is paid twice. If
              only a part was taken back, mark it as paid, and add a positive adjustment of that part, which the next
              payout pays.
            </p>
          </EndForm>
        </>
      )}
    </div>
  );
}

/** Has the service look for the transfer once more. */
function LookAgain({ payoutId, isLooking }: { payoutId: string; isLooking: boolean }) {
  const [hasLooked, setLooked] = useState(false);
  const look = useChange('sendPayout', { onDone: () => setLooked(true) });
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <Button busy={look.isPending || isLooking} onClick={() => look.mutate({ parameters: { id: payoutId } })}>
        Look again at Stripe
      </Button>
      <p role="status" className="text-muted-foreground">
        {isLooking && 'Looks for it…'}
        {!isLooking && hasLooked && 'Looked again: it is still not known.'}
      </p>
    </div>
  );
}

/** Stripe's id of the transfer, linked to it. */
function TransferId({ id, mode }: { id: string; mode: Transfer['mode'] }) {
  return (
    <span className="flex flex-col items-start gap-1">
      <CopyId>{id}</CopyId>
      <StripeLink path={`connect/transfers/${encodeURIComponent(id)}`} mode={mode}>
        Show it at Stripe
      </StripeLink>
    </span>
  );
}

function StripeLink({ path, mode, children }: { path: string; mode: Transfer['mode']; children: ReactNode }) {
  const address = `https://dashboard.stripe.com/${mode === 'test' ? 'test/' : ''}${path}`;
  return (
    <a href={address} target="_blank" rel="noreferrer" className="text-primary underline">
      {children}
    </a>
  );
}
