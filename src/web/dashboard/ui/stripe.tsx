import { Link } from 'wouter';
import { Badge } from '../../parts/badge.tsx';
import { STRIPE_PATH } from '../data/stripe.ts';
import { useMayChange } from '../shell/session.tsx';

/** Whether real money moves. */
export function ModeBadge({ mode }: { mode: 'live' | 'test' }) {
  return mode === 'test' ? <Badge tone="warn">Test mode</Badge> : <Badge tone="good">Live</Badge>;
}

/** Said where something needs Stripe. */
export function NotConnected() {
  const mayChange = useMayChange();
  return (
    <p className="text-sm">
      Stripe is not connected
      {mayChange ? (
        <>
          :{' '}
          <Link href={STRIPE_PATH} className="text-primary underline">
            connect it
          </Link>{' '}
          first.
        </>
      ) : (
        ', which owners and members can do under Connections.'
      )}
    </p>
  );
}
