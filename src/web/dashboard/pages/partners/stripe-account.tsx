import { useRef, useState } from 'react';
import { type Answer, call } from '../../../parts/api.ts';
import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icons.tsx';
import { useStripe } from '../../data/stripe.ts';
import { useChange, useSending } from '../../data/use-api.ts';
import { NotConnected } from '../../ui/stripe.tsx';
import { useShownOnce } from '../../ui/unsent.ts';
import { OnboardingLink } from './onboarding-link.tsx';

/** Whether Stripe would pay the partner now, and a way for them to give Stripe what it still needs. */
export function StripeAccount({ partner, mayChange }: { partner: Answer<'getPartner'>; mayChange: boolean }) {
  const { connection, error } = useStripe();
  const [link, setLink] = useState<Answer<'createPayoutOnboardingLink'> | null>(null);
  const parameters = { id: partner.id };
  const ask = useSending({ mutationFn: () => call('getPayoutOnboarding', { parameters }) });
  const create = useChange('createPayoutOnboardingLink', { onDone: setLink });
  const box = useRef<HTMLDivElement>(null);
  useShownOnce(box, link === null ? undefined : 'The link is not shown again.');
  if (connection === null) return <NotConnected />;
  if (connection === undefined && !error) return <div className="h-7" />;
  return (
    <div ref={box} className="flex flex-col gap-2.5">
      <div className="flex flex-wrap gap-2">
        <Button size="small" busy={ask.isPending} onClick={() => ask.mutate(undefined)}>
          Check with Stripe
        </Button>
        {mayChange && (
          <Button
            size="small"
            busy={create.isPending}
            onClick={() => create.mutate({ parameters, body: { rail: 'stripe' } })}
          >
            Create a sign-up link
          </Button>
        )}
      </div>
      <div role="status" className="flex flex-col gap-2.5 text-sm empty:sr-only">
        {ask.error && <p className="wrap-anywhere text-destructive">{ask.error.message}</p>}
        {!ask.error && ask.data && <Readiness onboarding={ask.data} />}
        {link !== null && <OnboardingLink link={link} partner={partner} />}
      </div>
    </div>
  );
}

function Readiness({ onboarding: { isReady, problem } }: { onboarding: Answer<'getPayoutOnboarding'> }) {
  return (
    <p className="flex items-start gap-2">
      <Icon
        name={isReady ? 'check' : 'warning'}
        className={`mt-0.5 size-4 ${isReady ? 'text-success' : 'text-warning'}`}
      />
      <span className="min-w-0 wrap-anywhere">
        {isReady
          ? 'Stripe would pay this partner now.'
          : `Not yet: ${problem === null ? 'Stripe gives no reason' : problem}.`}
      </span>
    </p>
  );
}
