import {
  keepPreviousData,
  type UseMutationOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { type Answer, ApiError, type CallInput, call, type OperationId, type Query } from '../../parts/api.ts';
import { showToast } from '../shell/toasts.tsx';
import { isUnauthorized, showSignIn } from './client.ts';
import { useIsShown } from './use-is-shown.ts';
import { useOnce } from './use-once.ts';

const FIRST_PAGE_SIZE = 50;
const PAGE_SIZE = 100;

/** A list with more pages than this is not read again by itself, because that would read every page. */
const REREAD_PAGES_MAX = 4;

interface ReadOptions {
  enabled?: boolean;
  /** Milliseconds between two reads. */
  refetchInterval?: number | false;
}

/** Reads one answer; while a changed one loads, the old one stays visible. */
export function useRead<Id extends OperationId>(id: Id, input: CallInput<Id>, options: ReadOptions = {}) {
  return useQuery<Answer<Id>, Error>({
    queryKey: [id, input],
    queryFn: ({ signal }) => call(id, input, { signal }),
    placeholderData: keepPreviousData as never,
    ...options,
  });
}

type ListId = { [Id in OperationId]: Answer<Id> extends { nextCursor: string | null } ? Id : never }[OperationId];
export type ItemOf<Id extends ListId> = Answer<Id> extends { data: (infer Item)[] } ? Item : never;

function isShort({ state }: { state: { data: { pages: unknown[] } | undefined } }): boolean {
  return (state.data?.pages.length ?? 0) <= REREAD_PAGES_MAX;
}

/** Reads a list, page by page; `parameters` are those of its path. */
export function useList<Id extends ListId>(
  id: Id,
  query: Query<Id>,
  parameters: Record<string, string> = {},
  { refetchInterval = false }: Pick<ReadOptions, 'refetchInterval'> = {},
) {
  const list = useInfiniteQuery({
    queryKey: [id, 'list', query, parameters],
    queryFn: ({ pageParam, signal }) => {
      const page = { limit: pageParam ? PAGE_SIZE : FIRST_PAGE_SIZE, ...query, cursor: pageParam };
      return call(id, { parameters, query: page } as never, { signal });
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page as { nextCursor: string | null }).nextCursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: isShort,
    refetchInterval: (list) => isShort(list) && refetchInterval,
  });
  const { data } = list;
  const rows = useMemo(() => data?.pages.flatMap((page) => page.data as unknown as ItemOf<Id>[]), [data]);
  return { ...list, rows };
}

/**
 * Sends something once, however often it is pressed: a mutation alone shows that it is pending only with the next
 * rendering, after the second press of a double click. `isPending` stays until the next press counts.
 */
export function useSending<Output, Input>(options: UseMutationOptions<Output, Error, Input>) {
  const { data, error, mutateAsync, reset } = useMutation(options);
  const { isHeld, once } = useOnce();
  const mutate = useCallback((input: Input) => void once.run(() => mutateAsync(input)), [once, mutateAsync]);
  return { data, error, isPending: isHeld, mutate, reset };
}

interface ChangeOptions<Id extends OperationId> {
  /** The message after success. */
  done?: string | ((answer: Answer<Id>) => string);
  onDone?(answer: Answer<Id>): void;
  /** Whether the answer is no success: its message then stays until it is closed. */
  isBad?(answer: Answer<Id>): boolean;
  /** The caller shows the refusal next to the input, instead of a toast. */
  quiet?: boolean;
}

/** Said where the sign-in page would replace a form with what was typed into it. */
export const SIGN_IN_ELSEWHERE =
  'Your session has ended. Sign in in another tab, then send this again: what you typed stays here.';

/** Whether the page may show what was before: somebody else was faster, or it was done and the answer was lost. */
function isPageOld(error: Error): boolean {
  const status = error instanceof ApiError ? error.status : null;
  return status === null || status === 404 || status === 409 || status >= 500;
}

/**
 * Changes something; everything is read again afterwards, also when it is not known whether it was done. Whoever has
 * closed its form meanwhile still learns how it ended.
 */
export function useChange<Id extends OperationId>(
  id: Id,
  { done, onDone, isBad, quiet = false }: ChangeOptions<Id> = {},
) {
  const client = useQueryClient();
  const isShown = useIsShown();
  const isQuiet = () => quiet && isShown.current;
  return useSending<Answer<Id>, CallInput<Id>>({
    mutationFn: async (input) => {
      try {
        return await call(id, input);
      } catch (error) {
        throw isQuiet() && isUnauthorized(error) ? new ApiError(error.code, SIGN_IN_ELSEWHERE, error.status) : error;
      }
    },
    onSuccess(answer) {
      const tone = isBad?.(answer) ? 'bad' : 'good';
      if (done !== undefined) showToast(tone, typeof done === 'function' ? done(answer) : done);
      // otherwise it would close the next form that is open in the same place
      if (isShown.current) onDone?.(answer);
      return client.invalidateQueries();
    },
    onError(error) {
      if (isPageOld(error)) void client.invalidateQueries();
      if (isQuiet()) return;
      if (isUnauthorized(error)) showSignIn();
      showToast('bad', error.message);
    },
  });
}
