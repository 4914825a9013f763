import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Answer } from '../../../parts/api.ts';
import { useRead } from '../../data/use-api.ts';

const NEWS_MS = 1_000;

/** One payout, read again and again while Stripe is asked about it. */
export function usePayout(id: string) {
  const client = useQueryClient();
  const [isFollowed, setFollowed] = useState(false);
  const refetchInterval = isFollowed ? NEWS_MS : false;
  const read = useRead('getPayout', { parameters: { id } }, { refetchInterval });
  const isMoving = read.data !== undefined && isAsked(read.data);
  const wasMoving = useRef(false);
  useEffect(() => {
    setFollowed(isMoving);
    // the list shows its new state, too
    if (wasMoving.current && !isMoving) void client.invalidateQueries();
    wasMoving.current = isMoving;
  }, [isMoving, client]);
  return read;
}

/** Whether the service will ask Stripe by itself. */
function isAsked({ transfer }: Answer<'getPayout'>): boolean {
  return transfer !== null && (transfer.status === 'sending' || transfer.nextAttemptAt !== null);
}
