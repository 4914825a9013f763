import { type FocusEvent, useRef, useState } from 'react';
import { Button, type ButtonProps } from '../../parts/button.tsx';
import { useOnce } from '../data/use-once.ts';

/** Not at once: what is pressed next must not move meanwhile. */
const ASKED_MS = 5_000;

interface ConfirmButtonProps {
  /** `Revoke` */
  words: string;
  /** Shown after the first press: `Revoke for ever?` */
  question: string;
  busy: boolean;
  /** Before it asks. */
  look?: ButtonProps['look'];
  onConfirm(): void;
}

/**
 * Runs an irreversible action on the second press, which a double click is not, nor a key that is held down. It asks for
 * as long as it has the focus, and a moment longer: some people need minutes to press again.
 */
export function ConfirmButton({ words, question, busy, look = 'quiet', onConfirm }: ConfirmButtonProps) {
  const [isAsked, setAsked] = useState(false);
  const { isHeld, once } = useOnce();
  const withdrawal = useRef<ReturnType<typeof setTimeout>>(undefined);
  const withdraw = ({ currentTarget }: FocusEvent) => {
    // in another window, where somebody looks for the answer, it keeps the focus of its own
    if (document.activeElement !== currentTarget) withdrawal.current = setTimeout(() => setAsked(false), ASKED_MS);
  };
  const press = async () => {
    setAsked(!isAsked);
    if (isAsked) onConfirm();
  };
  return (
    <Button
      size="small"
      look={isAsked && look !== 'primary' ? 'danger' : look}
      busy={busy}
      // not disabled, which would take the focus
      aria-disabled={isHeld || undefined}
      onKeyDown={(event) => event.repeat && event.key === 'Enter' && event.preventDefault()}
      onFocus={() => clearTimeout(withdrawal.current)}
      onBlur={withdraw}
      onClick={({ currentTarget }) => {
        // Safari gives a pressed button no focus
        currentTarget.focus();
        void once.run(press);
      }}
    >
      {isAsked ? question : words}
    </Button>
  );
}
