import type { Answer } from '../../../parts/api.ts';
import { State } from '../../ui/state.tsx';
import { REVIEW_STATES, SALE_STATES } from '../../ui/words.ts';
import { shownStateOf } from './shown-state.ts';

const STATES = { ...SALE_STATES, flagged: REVIEW_STATES.flagged };

/** The state of a sale, or that somebody has to review it. */
export function SaleState({ sale }: { sale: Pick<Answer<'getSale'>, 'status' | 'review'> }) {
  return <State of={STATES} state={shownStateOf(sale)} />;
}
