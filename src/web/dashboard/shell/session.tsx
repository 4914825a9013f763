import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { Redirect, useLocation, useSearch } from 'wouter';
import { type Answer, call } from '../../parts/api.ts';
import { isUnauthorized, SESSION_KEY } from '../data/client.ts';
import { SIGN_IN_ELSEWHERE } from '../data/use-api.ts';
import { useIsUnsent } from '../ui/unsent.ts';
import { Loading } from './loading.tsx';
import { ProblemPage } from './problem.tsx';
import { showToast } from './toasts.tsx';

export type Operator = Answer<'getSession'>['operator'];

const SessionContext = createContext<Operator | null>(null);

/** The operator of the session cookie; null when nobody is signed in. */
export function useSession() {
  return useQuery({
    queryKey: SESSION_KEY,
    queryFn: ({ signal }) =>
      call('getSession', {}, { signal }).catch((error: unknown) => {
        if (isUnauthorized(error)) return null;
        throw error;
      }),
    staleTime: 300_000,
    // somebody may have signed in or out in another tab
    refetchOnWindowFocus: 'always',
  });
}

/**
 * Shows its children to a signed-in operator, and the sign-in page to everybody else; but the page stays while a form on
 * it has input that was not sent.
 */
export function RequireSession({ children }: { children: ReactNode }) {
  const { data, error, refetch } = useSession();
  const [path] = useLocation();
  const search = useSearch();
  const isUnsent = useIsUnsent();
  const [last, setLast] = useState<Operator | null>(null);
  // of another account, perhaps: nothing that was read or typed here is theirs
  const isOther = last !== null && data?.operator.id !== undefined && data.operator.id !== last.id;
  if (data && !isOther && data.operator !== last) setLast(data.operator);
  const isKept = data === null && last !== null && isUnsent;
  useEffect(() => (isKept ? showToast('bad', SIGN_IN_ELSEWHERE) : undefined), [isKept]);
  useEffect(() => {
    if (isOther) location.reload();
  }, [isOther]);
  if (isOther) return null;
  const operator = data?.operator ?? (isKept ? last : null);
  if (operator) return <SessionContext value={operator}>{children}</SessionContext>;
  if (error) return <ProblemPage isWhole error={error} retry={refetch} />;
  if (data === undefined) return <Loading />;
  const here = search === '' ? path : `${path}?${search}`;
  return <Redirect to={here === '/' ? '/sign-in' : `/sign-in?return=${encodeURIComponent(here)}`} replace />;
}

/** The operator who is signed in. */
export function useOperator(): Operator {
  const operator = useContext(SessionContext);
  if (operator === null) throw new Error('Nobody is signed in');
  return operator;
}

/** Viewers read; members and owners change things. */
export function useMayChange(): boolean {
  return useOperator().role !== 'viewer';
}
