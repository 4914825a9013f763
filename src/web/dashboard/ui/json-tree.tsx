/** How deep a tree is expanded at first. */
const OPEN_DEPTH = 2;

/** A JSON value as a collapsible tree. */
export function JsonTree({ value, name, depth = 0 }: { value: unknown; name?: string; depth?: number }) {
  const label = name === undefined ? null : <span className="text-muted-foreground">{name}: </span>;
  if (typeof value !== 'object' || value === null) {
    return (
      <div className="py-px pl-4 break-all">
        {label}
        <Leaf value={value} />
      </div>
    );
  }
  const entries = Object.entries(value);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0) {
    return (
      <div className="py-px pl-4">
        {label}
        {open + close}
      </div>
    );
  }
  return (
    <details open={depth < OPEN_DEPTH} className="pl-1">
      <summary className="rounded py-1 hover:bg-secondary">
        {label}
        <span className="text-muted-foreground">
          {open} {entries.length} {close}
        </span>
      </summary>
      <div className="ml-1 border-l pl-1">
        {entries.map(([key, member]) => (
          <JsonTree key={key} name={key} value={member} depth={depth + 1} />
        ))}
      </div>
    </details>
  );
}

function Leaf({ value }: { value: unknown }) {
  const tone = typeof value === 'string' ? 'text-chart-1' : typeof value === 'number' ? 'text-chart-2' : 'text-chart-3';
  return <span className={tone}>{JSON.stringify(value)}</span>;
}
