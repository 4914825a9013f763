/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { DetailName } from '../../rails/contract/form.ts';
import type { Answers } from './api.ts';
import type { OnboardingLink } from './onboarding-link.ts';
import { PaidByForm } from './paid-by-form.tsx';
import { Pending, Section } from './pieces.tsx';
import { usePart, usePortal } from './portal.tsx';
import { detailLabel, railName, receiverName } from './rail-words.ts';
import { StripeAccount } from './stripe-account.tsx';
import { fill } from './words/index.ts';

type Answer = Answers['payout-details'];

/**
 * How the partner is paid, masked, and the form that changes it. The form is part of the page, because a frame cuts off
 * pop-ups.
 */
export function PaidBy() {
  const { words } = usePortal();
  const { data, ...loading } = usePart('payout-details');
  const [changed, setChanged] = useState<Answer | null>(null);
  /** Others may be stored than those that are shown. */
  const [isOld, setOld] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const [link, setLink] = useState<OnboardingLink | null>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const hasClosed = useRef(false);
  const answer = changed ?? data;
  useEffect(() => {
    // a link takes the focus itself
    if (hasClosed.current && !isOpen && link === null) opener.current?.focus();
    hasClosed.current = isOpen;
  }, [isOpen, link]);
  const open = () => {
    setLink(null);
    setOpen(true);
  };
  const save = (saved: Answer) => {
    setChanged(saved);
    setOld(false);
    setOpen(false);
  };
  // after the form: it would go while they are read
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each
  useEffect(() => {
    if (!isOld || isOpen) return;
    setOld(false);
    setChanged(null);
    loading.retry();
  }, [isOld, isOpen]);
  return (
    <Section id="paid-by" title={words.paidBy}>
      <p class="sr-only" role="status">
        {changed === null || isOpen ? '' : words.saved}
      </p>
      {answer === null ? <Pending {...loading} lines={2} /> : null}
      {answer !== null && isOpen ? (
        <PaidByForm
          stored={answer}
          onSaved={save}
          onLink={setLink}
          onLost={() => setOld(true)}
          onClose={() => setOpen(false)}
        />
      ) : null}
      {answer !== null && !isOpen ? (
        <Shown stored={answer} opener={opener} onOpen={open}>
          <StripeAccount
            isOffered={answer.transferRails.includes('stripe')}
            link={link}
            onLink={setLink}
            onCountry={open}
          />
        </Shown>
      ) : null}
    </Section>
  );
}

interface ShownProps {
  stored: Answer;
  opener: { current: HTMLButtonElement | null };
  onOpen(): void;
  /** What is shown below an account at Stripe. */
  children: ComponentChildren;
}

function Shown({ stored: { payoutDetails: details }, opener, onOpen, children }: ShownProps) {
  const { words, config, hasEnded } = usePortal();
  const button = (
    <button ref={opener} type="button" class={details === null ? 'button primary' : 'button'} onClick={onOpen}>
      {details === null ? words.setUp : words.change}
    </button>
  );
  if (details === null) {
    return (
      <div class="empty">
        <p class="strong">{words.paidByNone}</p>
        <p>{fill(words.paidByHint, { program: config.programName })}</p>
        {hasEnded ? null : button}
      </div>
    );
  }
  const { rail, ...values } = details;
  return (
    <div class="paid-by">
      <dl>
        <dt>{words.paidByMethod}</dt>
        <dd>{railName(rail, words)}</dd>
        {Object.entries(values).map(([name, value]) =>
          value === null ? null : (
            <div key={name}>
              <dt>{detailLabel(name as DetailName, words)}</dt>
              <dd>{name === 'receiverType' ? receiverName(value, words) : value}</dd>
            </div>
          ),
        )}
      </dl>
      {hasEnded ? null : button}
      {rail === 'stripe' ? children : null}
    </div>
  );
}
