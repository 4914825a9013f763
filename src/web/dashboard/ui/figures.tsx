import { Count } from './values.tsx';

interface Figure {
  words: string;
  count: number;
  isBad?: boolean;
}

/** A few counts with their names, side by side. */
export function Figures({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-md border bg-border [&>:last-child:nth-child(odd)]:col-span-2 sm:flex sm:*:flex-1">
      {figures.map(({ words, count, isBad = false }) => (
        <div key={words} className="flex flex-col-reverse bg-card px-3 py-2">
          <dt className="text-xs text-muted-foreground">{words}</dt>
          <dd className={`text-lg font-semibold ${isBad ? 'text-destructive' : ''}`}>
            <Count value={count} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
