import { useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { Icon } from './icons.tsx';

const SHOWN_MS = 1_500;

interface CopyButtonProps {
  text: string;
  label?: string;
  /** Without text. */
  short?: boolean;
  /** As high as a line of text. */
  tiny?: boolean;
}

/** Copies `text`, and confirms it for a moment, also to screen readers. */
export function CopyButton({ text, label = 'Copy', short = false, tiny = false }: CopyButtonProps) {
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready');
  useEffect(() => {
    if (state === 'ready') return;
    const timer = setTimeout(() => setState('ready'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    try {
      // absent where the page came over plain http
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      setState('failed');
    }
  };
  const words = { ready: label, copied: 'Copied', failed: 'Select the text and copy it' }[state];
  return (
    <Button
      size={tiny ? 'tiny' : short ? 'icon' : 'small'}
      look={short ? 'quiet' : 'secondary'}
      onClick={copy}
      aria-label={words}
      title={words}
    >
      <Icon name={state === 'copied' ? 'check' : 'copy'} className={tiny ? 'size-3' : 'size-4'} />
      {short ? null : words}
      <span className="sr-only" aria-live="polite">
        {state === 'ready' ? '' : words}
      </span>
    </Button>
  );
}
