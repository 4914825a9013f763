export function Logo({ className = '' }: { className?: string }) {
  return (
    <span className={`inline-flex items-center gap-2 font-semibold tracking-tight ${className}`}>
      <svg viewBox="0 0 32 32" className="size-6" aria-hidden="true">
        <rect width="32" height="32" rx="8" className="fill-primary" />
        <path
          d="M6 22h20M7 22a9 9 0 0 1 18 0M12 22v-8M20 22v-8"
          className="stroke-primary-foreground"
          fill="none"
          strokeWidth="2.5"
          strokeLinecap="round"
        />
      </svg>
      {/* with very large text, a phone's bar has no room for it */}
      <span className="max-[13rem]:sr-only">Refbridge</span>
    </span>
  );
}
