type Members = Readonly<Record<string, unknown>>;

/**
 * A merge patch with those members of `after` that differ from `before`, the resource as it was when the form opened:
 * what others changed meanwhile stays.
 */
export function changesOf<Patch extends object>(after: Patch, before: object): Patch {
  const members = Object.entries(after).flatMap(([name, value]): [string, unknown][] => {
    const was = (before as Members)[name] ?? null;
    if (!isObject(value) || !isObject(was)) return isSame(value, was) ? [] : [[name, value]];
    const changed = changesOf(value, was);
    return Object.keys(changed).length === 0 ? [] : [[name, changed]];
  });
  return Object.fromEntries(members) as Patch;
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
