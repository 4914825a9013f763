import { focusManager, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '../../parts/api.ts';

const RETRIES_MAX = 2;

/** A service that asks for a longer pause has stopped a report that ran out of time; again, it would take as long. */
const PAUSE_MAX_SECONDS = 5;

/** Whether a retry may soon succeed: there was no answer, or the service asked to wait a little. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const { status, retryAfterSeconds } = error;
  return status === null || (status === 503 && (retryAfterSeconds ?? 0) <= PAUSE_MAX_SECONDS);
}

/**
 * By default, requests that are made offline wait, and are sent once the browser is online: pages load for ever, and an
 * adjustment is booked long after its form was closed.
 */
const SENT_OFFLINE = { networkMode: 'always' } as const;

/** The query whose answer is the operator of the session cookie, or null when nobody is signed in. */
export const SESSION_KEY = ['getSession', {}];

/** Whether there is no session, or a code opens none. */
export function isUnauthorized(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 401;
}

/** Replaces the page by the sign-in page, which returns here. */
export function showSignIn(): void {
  queryClient.setQueryData(SESSION_KEY, null);
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError(error) {
      if (isUnauthorized(error)) showSignIn();
    },
  }),
  defaultOptions: {
    queries: {
      ...SENT_OFFLINE,
      refetchOnReconnect: true,
      staleTime: 10_000,
      retry: (count, error) => count < RETRIES_MAX && isPassing(error),
    },
    mutations: { ...SENT_OFFLINE, retry: false },
  },
});

// the library itself notices only that the page is visible again, but beside a terminal it always is
addEventListener('focus', () => focusManager.onFocus());
