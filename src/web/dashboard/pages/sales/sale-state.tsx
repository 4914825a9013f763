import type { Answer } from '../../../parts/api.ts';
import { State } from '../../ui/state.tsx';
import { REVIEW_STATES, SALE_STATES } from '../../ui/words.ts';

/** The state of a sale; that somebody has to review it says more than that it is on hold. */
export function SaleState({ sale: { status, review } }: { sale: Pick<Answer<'getSale'>, 'status' | 'review'> }) {
  return review === 'flagged' ? <State of={REVIEW_STATES} state={review} /> : <State of={SALE_STATES} state={status} />;
}
