import { Badge } from '../../parts/badge.tsx';
import type { ItemOf } from '../data/use-api.ts';
import { State } from './state.tsx';
import { PAYOUT_STATES } from './words.ts';

/** The state of a payout as a badge. While it is being sent, nobody should pay it. */
export function PayoutState({ payout }: { payout: Pick<ItemOf<'listPayouts'>, 'status' | 'transfer'> }) {
  if (payout.transfer?.status === 'sending') return <Badge tone="accent">Being sent</Badge>;
  return <State of={PAYOUT_STATES} state={payout.status} />;
}
