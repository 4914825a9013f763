/** Stands for a page that is on its way; nothing flickers when it comes at once. */
export function Loading() {
  return (
    <p className="px-4 py-5 text-sm text-muted-foreground transition-opacity delay-300 starting:opacity-0 sm:px-6 lg:px-8 lg:py-7">
      Loading…
    </p>
  );
}
