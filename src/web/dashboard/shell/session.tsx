import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext } from 'react';
import { Redirect, useLocation, useSearch } from 'wouter';
import { type Answer, ApiError, call } from '../../parts/api.ts';
import { ProblemPage } from './problem.tsx';

export type Operator = Answer<'getSession'>['operator'];

const SessionContext = createContext<Operator | null>(null);

/** The operator of the session cookie; null when nobody is signed in. */
export function useSession() {
  return useQuery({
    queryKey: ['getSession', {}],
    queryFn: ({ signal }) =>
      call('getSession', {}, { signal }).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 401) return null;
        throw error;
      }),
    staleTime: 300_000,
  });
}

/** Shows its children to a signed-in operator, and the sign-in page to everybody else. */
export function RequireSession({ children }: { children: ReactNode }) {
  const { data, error, refetch } = useSession();
  const [path] = useLocation();
  const search = useSearch();
  if (data) return <SessionContext value={data.operator}>{children}</SessionContext>;
  if (error) return <ProblemPage isWhole error={error} retry={refetch} />;
  if (data === undefined) return null;
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
