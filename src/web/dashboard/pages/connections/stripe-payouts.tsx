import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icons.tsx';
import { useFilters } from '../../data/filters.ts';
import { type StripeConnection, useStripe } from '../../data/stripe.ts';
import { useChange } from '../../data/use-api.ts';
import { ProblemPage } from '../../shell/problem.tsx';
import { useMayChange } from '../../shell/session.tsx';
import { ActorName } from '../../ui/actor-name.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { ModeBadge } from '../../ui/stripe.tsx';
import { CopyId, Time } from '../../ui/values.tsx';
import { StripeDialog } from './stripe-dialog.tsx';

/** The Stripe account from which partners are paid. */
export function StripePayouts() {
  const { connection, error, refetch } = useStripe();
  const mayChange = useMayChange();
  // in the address, so that other pages lead to it
  const { values, set } = useFilters(['connect']);
  const open = () => set('connect', 'stripe');
  const isOpen = values.connect === 'stripe' && mayChange && connection !== undefined;
  return (
    <section aria-label="Payouts by Stripe" className="mt-8 flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-sm font-semibold">Payouts by Stripe</h2>
          <p className="text-sm text-muted-foreground">
            Sends payouts from your Stripe balance to the accounts that partners have at Stripe.
          </p>
        </div>
        {mayChange && connection === null && (
          <Button onClick={open}>
            <Icon name="plus" /> Connect Stripe
          </Button>
        )}
      </div>
      {connection === null ? (
        <Empty title="Not connected">
          <p>
            As a processor, above, Stripe only reports sales. To pay partners, Refbridge needs a key of your Stripe
            account.
          </p>
        </Empty>
      ) : (
        // as tall as without a connection, also while that is not known
        <div className="flex min-h-29 flex-col justify-center rounded-lg border bg-card px-4 py-3 text-sm">
          {connection === undefined && error && <ProblemPage error={error} retry={refetch} />}
          {connection && <Connected connection={connection} onReplace={mayChange ? open : null} />}
        </div>
      )}
      {isOpen && <StripeDialog connection={connection} onClose={() => set('connect', '')} />}
    </section>
  );
}

interface ConnectedProps {
  connection: StripeConnection;
  /** Null for those who may not. */
  onReplace: (() => void) | null;
}

function Connected({ connection, onReplace }: ConnectedProps) {
  const { platformId, platformName, mode, apiUrl, createdAt, createdBy } = connection;
  const disconnect = useChange('disconnectRail', { done: 'Stripe is disconnected' });
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div className="flex min-w-0 flex-col gap-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          {platformName !== null && <bdi className="font-semibold wrap-anywhere">{platformName}</bdi>}
          <ModeBadge mode={mode} />
        </p>
        <CopyId>{platformId}</CopyId>
        {mode === 'test' && (
          <p>No real money moves: a payout that is sent counts as paid, but the partner gets nothing.</p>
        )}
        {apiUrl !== null && (
          <p className="wrap-anywhere text-muted-foreground">Requests go to {apiUrl} instead of Stripe.</p>
        )}
        <p className="text-xs text-muted-foreground">
          Since <Time iso={createdAt} /> by <ActorName id={createdBy} />
        </p>
      </div>
      {onReplace && (
        <div className="flex flex-wrap gap-2">
          <Button size="small" onClick={onReplace}>
            Replace the key
          </Button>
          <ConfirmButton
            words="Disconnect"
            question="Disconnect Stripe?"
            look="secondary"
            busy={disconnect.isPending}
            onConfirm={() => disconnect.mutate({ parameters: { rail: 'stripe' } })}
          />
        </div>
      )}
    </div>
  );
}
