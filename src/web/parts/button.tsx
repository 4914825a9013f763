import { type ButtonHTMLAttributes, useRef } from 'react';
import { useKeptFocus } from './use-kept-focus.ts';

const LOOKS = {
  // towards the color of the text, so that the contrast grows; forced colors show the border alone
  primary:
    'border border-transparent bg-primary text-primary-foreground hover:bg-[color-mix(in_oklab,var(--primary)_86%,var(--foreground))]',
  secondary: 'border border-input bg-card text-foreground hover:bg-secondary',
  quiet: 'text-muted-foreground hover:bg-secondary hover:text-foreground',
  danger: 'border border-destructive/40 bg-card text-destructive hover:bg-danger-surface',
} as const;

const SIZES = { small: 'h-7 px-2 text-xs', normal: 'h-9 px-3.5 text-sm', icon: 'size-8', tiny: 'size-6' } as const;

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: keyof typeof LOOKS;
  size?: keyof typeof SIZES;
  /** Shows that the work is in progress, and ignores presses once that is shown; the focus stays on the button. */
  busy?: boolean;
}

/** Where text is so large, or the screen so narrow, that a button may have two lines. */
const NARROW = 'max-[16rem]:h-auto max-[16rem]:min-h-7 max-[16rem]:py-1 max-[16rem]:whitespace-normal';

/** The classes of a button, for links that look like one. */
export function buttonClass(look: keyof typeof LOOKS = 'secondary', size: keyof typeof SIZES = 'normal'): string {
  return `inline-flex max-w-full shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap transition-colors disabled:cursor-not-allowed disabled:opacity-50 aria-busy:cursor-not-allowed aria-busy:opacity-50 ${LOOKS[look]} ${SIZES[size]} ${NARROW}`;
}

export function Button({ look, size, busy = false, className = '', children, onClick, ...rest }: ButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  useKeptFocus(button);
  return (
    <button
      ref={button}
      type="button"
      className={`${buttonClass(look, size)} ${className}`}
      aria-busy={busy || undefined}
      {...rest}
      // not disabled, which would take the focus
      aria-disabled={busy || rest['aria-disabled']}
      // nor does it send its form
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      {children}
    </button>
  );
}
