/** @jsxImportSource preact */
import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { type Answers, type Api, Failure } from './api.ts';
import type { Format } from './format.ts';
import type { Config } from './start.ts';
import type { Words } from './words/index.ts';

/** What every part of the page receives. */
export interface Portal {
  api: Api;
  config: Config;
  words: Words;
  format: Format;
  /** Answers that came with the page, by name. */
  parts: Readonly<Record<string, unknown>>;
  /** True when the session is over: what is shown stays, and nothing more is requested. */
  hasEnded: boolean;
  /** Reports a failure to the page around this one, and ends the session if the failure says so. */
  fail(failure: Failure): void;
  /** The next failure is reported again, even if it is the same. */
  startAgain(): void;
}

export const PortalContext = createContext<Portal | null>(null);

/** @throws Error outside of a portal */
export function usePortal(): Portal {
  const portal = useContext(PortalContext);
  if (portal === null) throw new Error('There is no portal around this part');
  return portal;
}

type Loading<Data> = { data: Data | null; isFailed: boolean };

/** An answer of the API: null while it loads, or after it failed. */
export function usePart<Name extends keyof Answers>(
  name: Name,
  path: string = name,
): Loading<Answers[Name]> & { retry(): void } {
  const portal = usePortal();
  const [state, setState] = useState<Loading<Answers[Name]>>({
    data: (portal.parts[name] as Answers[Name] | undefined) ?? null,
    isFailed: false,
  });
  const load = async () => {
    try {
      setState({ data: await portal.api.get(name, path), isFailed: false });
    } catch (failure) {
      if (failure instanceof Failure) portal.fail(failure);
      setState({ data: null, isFailed: true });
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the part is first shown
  useEffect(() => {
    if (state.data === null) void load();
  }, []);
  const retry = () => {
    portal.startAgain();
    setState({ data: null, isFailed: false });
    void load();
  };
  return { ...state, retry };
}

type ListName = 'links' | 'sales' | 'payouts';
type Item<Name extends ListName> = Answers[Name]['data'][number];

/** A list that grows page by page; the first has `limit` items. */
export function useList<Name extends ListName>(name: Name, limit: number) {
  const portal = usePortal();
  const { data: first, isFailed, retry } = usePart(name, `${name}?limit=${limit}`);
  const [later, setLater] = useState<{ items: Item<Name>[]; cursor: string | null } | null>(null);
  const [isLoading, setLoading] = useState(false);
  const [isMoreFailed, setMoreFailed] = useState(false);
  const cursor = later === null ? (first?.nextCursor ?? null) : later.cursor;
  const more = async () => {
    portal.startAgain();
    setMoreFailed(false);
    setLoading(true);
    try {
      const { data, nextCursor } = await portal.api.get(name, `${name}?cursor=${cursor}`);
      setLater({ items: [...(later?.items ?? []), ...(data as Item<Name>[])], cursor: nextCursor });
    } catch (failure) {
      if (failure instanceof Failure) portal.fail(failure);
      setMoreFailed(true);
    }
    setLoading(false);
  };
  const items = first === null ? null : [...(first.data as Item<Name>[]), ...(later?.items ?? [])];
  return { items, isFailed, retry, more, isLoading, isMoreFailed, hasMore: cursor !== null && !portal.hasEnded };
}
