/** @jsxImportSource preact */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { DetailName } from '../../rails/contract/form.ts';
import type { Answers } from './api.ts';
import { PaidByForm } from './paid-by-form.tsx';
import { Pending, Section } from './pieces.tsx';
import { usePart, usePortal } from './portal.tsx';
import { detailLabel, railName, receiverName } from './rail-words.ts';
import { fill } from './words/index.ts';

type Answer = Answers['payout-details'];
type Details = NonNullable<Answer['payoutDetails']>;

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
  const opener = useRef<HTMLButtonElement>(null);
  const hasClosed = useRef(false);
  const answer = changed ?? data;
  useEffect(() => {
    if (hasClosed.current && !isOpen) opener.current?.focus();
    hasClosed.current = isOpen;
  }, [isOpen]);
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
          details={answer.payoutDetails}
          onSaved={save}
          onLost={() => setOld(true)}
          onClose={() => setOpen(false)}
        />
      ) : null}
      {answer !== null && !isOpen ? (
        <Shown details={answer.payoutDetails} opener={opener} onOpen={() => setOpen(true)} />
      ) : null}
    </Section>
  );
}

interface ShownProps {
  details: Details | null;
  opener: { current: HTMLButtonElement | null };
  onOpen(): void;
}

function Shown({ details, opener, onOpen }: ShownProps) {
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
    </div>
  );
}
