import { useEffect, useState } from 'react';
import { Button } from '../../parts/button.tsx';

const ASKED_MS = 5_000;

interface ConfirmButtonProps {
  /** `Revoke` */
  words: string;
  /** Shown after the first press: `Revoke for ever?` */
  question: string;
  busy: boolean;
  onConfirm(): void;
}

/** Runs an irreversible action on the second press. */
export function ConfirmButton({ words, question, busy, onConfirm }: ConfirmButtonProps) {
  const [isAsked, setAsked] = useState(false);
  useEffect(() => {
    if (!isAsked) return;
    const timer = setTimeout(() => setAsked(false), ASKED_MS);
    return () => clearTimeout(timer);
  }, [isAsked]);
  return (
    <Button
      size="small"
      look={isAsked ? 'danger' : 'quiet'}
      busy={busy}
      onClick={() => (isAsked ? onConfirm() : setAsked(true))}
    >
      {isAsked ? question : words}
    </Button>
  );
}
