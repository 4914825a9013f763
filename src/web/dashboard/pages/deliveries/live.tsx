import { type InfiniteData, type Query, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Answer } from '../../../parts/api.ts';
import type { Days } from '../../data/period.ts';
import { fits } from './fits.ts';

type DeliveryList = Answer<'listDeliveries'>;
type Delivery = DeliveryList['data'][number];
export type LiveState = 'connecting' | 'live' | 'paused';

/** Changes of deliveries that follow each other within this time are shown together. */
const SETTLE_MS = 400;

/** The first of them waits no longer than this, however many follow. */
const SETTLE_MAX_MS = 2_000;

/**
 * With more rows on its first page, a list is read again: each delivery would take longer to show than the one before, and
 * some pages stay open for weeks.
 */
const ROWS_MAX = 500;

/** How long to wait after the browser has given up on the stream. */
const REOPEN_MS = 5_000;

/**
 * Puts new deliveries on top of every visible list of deliveries, as the server reports them. After a lost connection the
 * browser reconnects by itself and says which delivery it saw last; after a refusal, such as a proxy's while the server
 * restarts, it gives up, and a new stream begins with the present.
 */
export function useLiveDeliveries(isOn: boolean): LiveState {
  const client = useQueryClient();
  const [state, setState] = useState<LiveState>('connecting');
  /** The lists may lack deliveries that no stream has reported. */
  const hasGap = useRef(false);
  useEffect(() => {
    if (!isOn) return;
    // an answer that was stored when the page was last shown
    hasGap.current ||= client.isFetching({ queryKey: ['listDeliveries'] }) === 0;
    let source: EventSource;
    let reopening: ReturnType<typeof setTimeout> | undefined;
    const others = rereadLater(client);
    const open = () => {
      let hasSeen = false;
      source = new EventSource('/api/deliveries/stream');
      source.onopen = () => {
        setState('live');
        if (hasGap.current) void client.invalidateQueries({ queryKey: ['listDeliveries'] });
        hasGap.current = false;
      };
      source.onerror = () => {
        setState('connecting');
        hasGap.current ||= !hasSeen || source.readyState === EventSource.CLOSED;
        if (source.readyState !== EventSource.CLOSED) return;
        reopening = setTimeout(open, REOPEN_MS);
        // the refusal does not say why; without a session, this shows the sign-in page
        void client.invalidateQueries({ queryKey: ['getSession'] });
      };
      source.addEventListener('delivery', ({ data }) => {
        hasSeen = true;
        addToLists(client, JSON.parse(data));
        others.reread();
      });
    };
    open();
    return () => {
      clearTimeout(reopening);
      others.stop();
      source.close();
      hasGap.current = true;
      setState('connecting');
    };
  }, [client, isOn]);
  return state;
}

/** Puts a delivery on top of the lists whose filters it passes. */
function addToLists(client: QueryClient, delivery: Delivery): void {
  for (const list of client.getQueryCache().findAll({ queryKey: ['listDeliveries', 'list'] })) {
    if (!fits(delivery, list.queryKey[2] as Partial<Delivery & Days>)) continue;
    const add = () =>
      client.setQueryData<InfiniteData<DeliveryList>>(list.queryKey, (lists) => lists && withDelivery(lists, delivery));
    add();
    if (list.isActive()) keepShort(client, list);
    // an answer that is on its way may be from before
    if (list.state.fetchStatus === 'fetching') void list.promise?.then(add, () => {});
  }
}

/** Unless somebody is reading further down. */
function keepShort(client: QueryClient, { queryKey }: Pick<Query, 'queryKey'>): void {
  const lists = client.getQueryData<InfiniteData<DeliveryList>>(queryKey);
  const isLong = (lists?.pages[0]?.data.length ?? 0) > ROWS_MAX;
  if (lists === undefined || !isLong || scrollY > innerHeight) return;
  client.setQueryData(queryKey, { pages: lists.pages.slice(0, 1), pageParams: lists.pageParams.slice(0, 1) });
  void client.refetchQueries({ queryKey, exact: true }, { cancelRefetch: false });
}

/** Reads again what deliveries may have changed, once several have arrived, and not before the last time has ended. */
function rereadLater(client: QueryClient) {
  let settling: ReturnType<typeof setTimeout> | undefined;
  let firstAt: number | null = null;
  let isReading = false;
  const wait = () => {
    clearTimeout(settling);
    if (isReading || firstAt === null) return;
    settling = setTimeout(() => void read(), Math.min(SETTLE_MS, firstAt + SETTLE_MAX_MS - Date.now()));
  };
  const read = async () => {
    firstAt = null;
    isReading = true;
    const isOther = (key: unknown) => key !== 'listDeliveries' && key !== 'getSession';
    await client.invalidateQueries({ predicate: ({ queryKey }) => isOther(queryKey[0]) });
    isReading = false;
    wait();
  };
  return {
    reread() {
      firstAt ??= Date.now();
      wait();
    },
    stop() {
      clearTimeout(settling);
      firstAt = null;
    },
  };
}

function withDelivery(lists: InfiniteData<DeliveryList>, delivery: Delivery): InfiniteData<DeliveryList> {
  const [first, ...rest] = lists.pages.map((page) => ({
    ...page,
    data: page.data.filter(({ id }) => id !== delivery.id),
  }));
  return first === undefined ? lists : { ...lists, pages: [{ ...first, data: [delivery, ...first.data] }, ...rest] };
}

const WORDS: Record<LiveState, [string, string]> = {
  live: ['Live', 'bg-success'],
  connecting: ['Connecting…', 'bg-warning'],
  paused: ['Paused', 'bg-muted-foreground'],
};

export function LiveMark({ state }: { state: LiveState }) {
  const [words, color] = WORDS[state];
  return (
    <span
      className="inline-flex items-center justify-end gap-2 text-sm text-muted-foreground sm:min-w-28"
      aria-live="polite"
      title={words}
    >
      <span className={`size-2 rounded-full ${color}`} aria-hidden="true" />
      {/* a phone has no room for longer words */}
      <span className="sr-only sm:not-sr-only">{words}</span>
    </span>
  );
}
