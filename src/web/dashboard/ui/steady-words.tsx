/** Words that are bold while they are chosen, and as wide before, so that their neighbours stay where they are. */
export function SteadyWords({ children }: { children: string }) {
  return (
    <span
      data-words={children}
      className="inline-grid after:invisible after:h-0 after:overflow-hidden after:font-medium after:content-[attr(data-words)]"
    >
      {children}
    </span>
  );
}
