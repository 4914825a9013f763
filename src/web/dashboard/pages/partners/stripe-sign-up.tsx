import { type ReactNode, useState } from 'react';
import type { Answer } from '../../../parts/api.ts';
import { Button } from '../../../parts/button.tsx';
import { useStripe } from '../../data/stripe.ts';
import { useChange } from '../../data/use-api.ts';
import { ProblemPage } from '../../shell/problem.tsx';
import { Bone } from '../../ui/bone.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, problemOf } from '../../ui/form.tsx';
import { NotConnected } from '../../ui/stripe.tsx';
import { DetailsForm } from './details-form.tsx';
import { OnboardingLink } from './onboarding-link.tsx';

interface StripeSignUpProps {
  partner: Answer<'getPartner'>;
  /** Stripe was chosen with it. */
  choice: ReactNode;
  link: Answer<'createPayoutOnboardingLink'> | null;
  onLink(link: Answer<'createPayoutOnboardingLink'>): void;
  onClose(): void;
}

const WAYS = [
  ['link', 'They sign up at Stripe'],
  ['account', 'They have an account that is connected to yours'],
] as const;

/** Gives a partner an account at Stripe, or enters the one that they have. */
export function StripeSignUp({ partner, choice, link, onLink, onClose }: StripeSignUpProps) {
  const { connection, error, refetch } = useStripe();
  const [way, setWay] = useState<(typeof WAYS)[number][0]>('link');
  if (link !== null) {
    return (
      <div className="flex flex-col gap-4">
        <OnboardingLink link={link} partner={partner} />
        <Button look="primary" className="self-start" onClick={onClose}>
          Done
        </Button>
      </div>
    );
  }
  if (!connection) {
    return (
      <div className="flex flex-col gap-4">
        {choice}
        {error && <ProblemPage error={error} retry={refetch} />}
        {connection === null && <NotConnected />}
        {connection === undefined && !error && <Bone className="h-5 w-full" />}
      </div>
    );
  }
  const both = (
    <>
      {choice}
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1.5 text-sm font-medium">Account</legend>
        {WAYS.map(([name, words]) => (
          <label key={name} className="flex items-start gap-2.5 text-sm">
            <input
              type="radio"
              name="way"
              className="mt-0.5 size-4 shrink-0 accent-primary"
              checked={way === name}
              onChange={() => setWay(name)}
            />
            {words}
          </label>
        ))}
      </fieldset>
    </>
  );
  if (way === 'account') return <DetailsForm partner={partner} rail="stripe" choice={both} onClose={onClose} />;
  return <SignUpForm partner={partner} choice={both} onLink={onLink} />;
}

function SignUpForm({ partner: { id, email }, choice, onLink }: Omit<StripeSignUpProps, 'link' | 'onClose'>) {
  const [country, setCountry] = useState('');
  const create = useChange('createPayoutOnboardingLink', { onDone: onLink, quiet: true });
  return (
    <Form
      action="Create a link"
      busy={create.isPending}
      error={create.error}
      onSend={() => create.mutate({ parameters: { id }, body: { rail: 'stripe', country: country || null } })}
    >
      {choice}
      <Field
        label="Country"
        autoComplete="off"
        placeholder="DE"
        maxLength={2}
        value={country}
        onText={setCountry}
        hint="Where they are, as two letters; by default, the country of your account. For another one than before, they sign up anew."
        problem={problemOf(create.error, 'country')}
      />
      <p className="text-xs wrap-anywhere text-muted-foreground">
        Opens an account at Stripe for {email}, and from then on Stripe pays them. There, they enter what Stripe needs
        to pay them.
      </p>
    </Form>
  );
}
