import { useEffect, useState } from 'react';
import { Button, type ButtonProps } from '../../parts/button.tsx';
import { useOnce } from '../data/use-once.ts';

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

/** Runs an irreversible action on the second press, which a double click is not, nor a key that is held down. */
export function ConfirmButton({ words, question, busy, look = 'quiet', onConfirm }: ConfirmButtonProps) {
  const [isAsked, setAsked] = useState(false);
  const { isHeld, once } = useOnce();
  const press = async () => (isAsked ? onConfirm() : setAsked(true));
  useEffect(() => {
    if (!isAsked) return;
    const timer = setTimeout(() => setAsked(false), ASKED_MS);
    return () => clearTimeout(timer);
  }, [isAsked]);
  return (
    <Button
      size="small"
      look={isAsked && look !== 'primary' ? 'danger' : look}
      busy={busy}
      // not disabled, which would take the focus
      aria-disabled={isHeld || undefined}
      onKeyDown={(event) => event.repeat && event.key === 'Enter' && event.preventDefault()}
      onClick={() => void once.run(press)}
    >
      {isAsked ? question : words}
    </Button>
  );
}
