import { QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '../../parts/api.ts';

const RETRIES_MAX = 2;

/** Whether a retry may succeed: there was no answer, or the service asked to wait. */
function isPassing(error: unknown): boolean {
  return error instanceof ApiError && (error.status === null || error.status === 503);
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError(error) {
      // the session has ended: clearing it shows the sign-in page, which returns here
      if (error instanceof ApiError && error.status === 401) queryClient.setQueryData(['getSession', {}], null);
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (count, error) => count < RETRIES_MAX && isPassing(error),
    },
    mutations: { retry: false },
  },
});
