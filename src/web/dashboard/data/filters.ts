import { useCallback } from 'react';
import { useSearchParams } from 'wouter';

export interface Filters<Name extends string> {
  values: Partial<Record<Name, string>>;
  /** Filters by this value; an empty one removes the filter. */
  set(name: Name, value: string): void;
  clear(): void;
  isFiltered: boolean;
  /** With a leading `?`; keeps the filters while a row opens. */
  search: string;
}

/** The filters in the address, so that a filtered list can be shared and Back undoes a filter. */
export function useFilters<const Name extends string>(names: readonly Name[]): Filters<Name> {
  const [parameters, setParameters] = useSearchParams();
  const values = Object.fromEntries(
    names.flatMap((name) => {
      const value = parameters.get(name);
      return value ? [[name, value]] : [];
    }),
  ) as Partial<Record<Name, string>>;
  const set = useCallback(
    (name: Name, value: string) =>
      setParameters((before) => {
        const next = new URLSearchParams(before);
        if (value === '') next.delete(name);
        else next.set(name, value);
        return next;
      }),
    [setParameters],
  );
  const clear = useCallback(() => setParameters(new URLSearchParams()), [setParameters]);
  const text = parameters.toString();
  return { values, set, clear, isFiltered: Object.keys(values).length > 0, search: text === '' ? '' : `?${text}` };
}
