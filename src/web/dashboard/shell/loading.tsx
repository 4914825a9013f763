/** Stands for a page that is on its way, or for its content; nothing flickers when it comes at once. */
export function Loading({ place = 'px-4 py-5 sm:px-6 lg:px-8 lg:py-7' }: { place?: string }) {
  return (
    <p className={`text-sm text-muted-foreground transition-opacity delay-300 starting:opacity-0 ${place}`}>Loading…</p>
  );
}
