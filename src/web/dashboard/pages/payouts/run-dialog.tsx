import { useEffect } from 'react';
import { Link } from 'wouter';
import { type Answer, ApiError } from '../../../parts/api.ts';
import { Button } from '../../../parts/button.tsx';
import { largestFirst } from '../../../parts/money.ts';
import { useStripe } from '../../data/stripe.ts';
import { useChange } from '../../data/use-api.ts';
import { ProblemPage } from '../../shell/problem.tsx';
import { counted } from '../../ui/counted.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Money, PartnerLink } from '../../ui/values.tsx';

const SHOWN_MAX = 20;

const plural = (count: number) => counted(count, 'payout');

/** Shows what a run would pay, then runs it. */
export function RunDialog({ onClose }: { onClose(): void }) {
  const trial = useChange('runPayouts', { quiet: true });
  const run = useChange('runPayouts', {
    done: ({ payoutCount }) => `${plural(payoutCount)} to be paid`,
    onDone: ({ failed }) => {
      if (failed.length === 0) onClose();
    },
    quiet: true,
  });
  const { mutate: tryOut, data: plan } = trial;
  useEffect(() => {
    tryOut({ body: { dryRun: true } });
  }, [tryOut]);
  const error = run.error ?? trial.error;
  const title = run.error
    ? isEndUnknown(run.error)
      ? 'The run may have finished'
      : 'The run did not finish'
    : undefined;
  /** What is still due, if a part of the failed run was started. */
  const tryAgain = () => {
    run.reset();
    tryOut({ body: { dryRun: true } });
  };
  return (
    <Dialog title="Run payouts" onClose={onClose} className="max-w-lg">
      {error && <ProblemPage title={title} error={error} retry={tryAgain} />}
      {!error && plan === undefined && <p className="text-sm text-muted-foreground">Adding up what is due…</p>}
      {!error && plan && (
        <div className="flex flex-col gap-4">
          <Plan plan={plan} />
          {run.data && run.data.failed.length > 0 && (
            <p role="alert" className="rounded-md bg-danger-surface p-3 text-sm text-destructive">
              {plural(run.data.failed.length)} could not be started: {run.data.failed[0]?.message} Run again for the
              rest.
            </p>
          )}
          {plan.payoutCount > 0 && (
            <Button
              look="primary"
              className="self-start"
              busy={run.isPending}
              onClick={() => run.mutate({ body: { at: plan.at } })}
            >
              Start {plural(plan.payoutCount)}
            </Button>
          )}
        </div>
      )}
    </Dialog>
  );
}

/** Whether the service itself said nothing, or does not know. */
function isEndUnknown(error: Error): boolean {
  return error instanceof ApiError && ['NETWORK_ERROR', 'UNEXPECTED_ANSWER', 'OUTCOME_UNKNOWN'].includes(error.code);
}

function Plan({ plan: { totals, data, payoutCount } }: { plan: Answer<'runPayouts'> }) {
  const { connection } = useStripe();
  if (payoutCount === 0) {
    return (
      <p className="text-sm text-muted-foreground">
        Nothing is due. A commission is due when its hold is over, and a payout when it reaches the program's minimum.
      </p>
    );
  }
  return (
    <>
      <dl className="flex flex-wrap gap-x-8 gap-y-2">
        {largestFirst(totals).map((total) => (
          <div key={total.currency}>
            <dt className="text-xs text-muted-foreground">{plural(total.payoutCount)}</dt>
            <dd className="text-lg font-semibold">
              {total.amount === null ? 'too large to show' : <Money amount={total.amount} currency={total.currency} />}
            </dd>
          </div>
        ))}
      </dl>
      <ul className="max-h-64 overflow-y-auto rounded-md border text-sm">
        {data.slice(0, SHOWN_MAX).map((payout) => (
          <li
            key={payout.id}
            className="flex justify-between gap-x-3 border-b px-3 py-2 last:border-b-0 max-[16rem]:flex-wrap"
          >
            <span className="min-w-0 wrap-anywhere">
              <PartnerLink id={payout.partnerId} name={payout.partnerName} />
            </span>
            <Money amount={payout.amount} currency={payout.currency} />
          </li>
        ))}
        {payoutCount > SHOWN_MAX && (
          <li className="px-3 py-2 text-muted-foreground">and {plural(payoutCount - SHOWN_MAX)} more</li>
        )}
      </ul>
      <p className="text-sm text-muted-foreground">
        Each becomes “to be paid”. Nothing is sent yet: {connection && 'send them by Stripe, or '}pay them with your
        bank or by a{' '}
        <Link href="/payout-files" className="text-primary underline">
          payout file
        </Link>
        , then mark them as paid.
      </p>
    </>
  );
}
