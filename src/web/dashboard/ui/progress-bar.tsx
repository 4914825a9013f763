/** A bar of progress; without a percentage, it pulses. */
export function ProgressBar({ label, percent }: { label: string; percent?: number | undefined }) {
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
      className="h-2 overflow-hidden rounded-full bg-secondary"
    >
      <svg aria-hidden="true" className="size-full" preserveAspectRatio="none" viewBox="0 0 100 1">
        <rect
          width={percent ?? 100}
          height="1"
          className={`fill-primary ${percent === undefined ? 'motion-safe:animate-pulse' : ''}`}
        />
      </svg>
    </div>
  );
}
