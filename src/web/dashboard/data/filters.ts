import { useCallback, useSyncExternalStore } from 'react';
import { useSearchParams } from 'wouter';
import { utcDay } from '../../parts/time.ts';

export interface Filters<Name extends string> {
  values: Partial<Record<Name, string>>;
  /** Filters by this value; an empty one removes the filter. */
  set(name: Name, value: string): void;
  /** Removes the filters; the rest of the address stays, such as a tab. */
  clear(): void;
  isFiltered: boolean;
  /** How many are set besides the searched text. */
  count: number;
  /** With a leading `?`; keeps the filters while a row opens. */
  search: string;
}

const MINUTE_MS = 60_000;

/** A timer for midnight itself would be late after the device has slept. */
function everyMinute(listener: () => void): () => void {
  const timer = setInterval(listener, MINUTE_MS);
  return () => clearInterval(timer);
}

/**
 * The filters in the address, so that a filtered list can be shared and Back undoes a filter. A page that stays open
 * overnight is rendered again, because a period such as `today` has moved.
 */
export function useFilters<const Name extends string>(names: readonly Name[]): Filters<Name> {
  useSyncExternalStore(everyMinute, () => utcDay(Date.now()));
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
  const clear = () =>
    setParameters((before) => new URLSearchParams([...before].filter(([name]) => !names.some((own) => own === name))));
  const text = parameters.toString();
  const active = Object.keys(values);
  return {
    ...{ values, set, clear, isFiltered: active.length > 0 },
    count: active.filter((name) => name !== 'search').length,
    search: text === '' ? '' : `?${text}`,
  };
}
