import type { Tone } from '../../parts/badge.tsx';
import { CONNECTED_PROCESSORS, type ConnectedProcessor, PROCESSOR_GUIDES } from '../data/processor-guides.ts';
import type { Option } from './field.tsx';

/** The processors' names as they spell them. */
export const PROCESSOR_NAMES = {
  ...(Object.fromEntries(CONNECTED_PROCESSORS.map((name) => [name, PROCESSOR_GUIDES[name].name])) as Record<
    ConnectedProcessor,
    string
  >),
  custom: 'Own checkout',
};

export const PROCESSOR_OPTIONS = Object.entries(PROCESSOR_NAMES);

/** A state in people's words, and its look. */
type States = Readonly<Record<string, readonly [words: string, tone: Tone]>>;

export const SALE_STATES = {
  pending: ['On hold', 'neutral'],
  approved: ['Approved', 'accent'],
  paid: ['Paid', 'good'],
  refunded: ['Refunded', 'warn'],
  disputed: ['Disputed', 'bad'],
  rejected: ['Rejected', 'bad'],
} as const satisfies States;

export const REVIEW_STATES = {
  flagged: ['Flagged', 'warn'],
  approved: ['Approved', 'good'],
  rejected: ['Rejected', 'bad'],
} as const satisfies States;

export const PAYOUT_STATES = {
  queued: ['Collecting', 'neutral'],
  processing: ['To be paid', 'warn'],
  held: ['Unclear', 'bad'],
  paid: ['Paid', 'good'],
  failed: ['Failed', 'bad'],
  canceled: ['Canceled', 'neutral'],
} as const satisfies States;

export const OUTCOMES = {
  sale: ['Sale', 'good'],
  reversal: ['Reversal', 'warn'],
  unattributed: ['Unattributed', 'warn'],
  duplicate: ['Duplicate', 'neutral'],
  noted: ['Noted', 'neutral'],
  ignored: ['Ignored', 'neutral'],
  unknown: ['Unknown', 'warn'],
  failed: ['Failed', 'bad'],
} as const satisfies States;

export const DELIVERY_STATES = {
  processed: ['Processed', 'neutral'],
  failed: ['Retrying', 'warn'],
  dead: ['Given up', 'bad'],
} as const satisfies States;

export const ENTRY_KINDS = {
  commission: ['Commission', 'neutral'],
  reversal: ['Reversal', 'warn'],
  dispute_hold: ['Dispute hold', 'warn'],
  dispute_release: ['Dispute release', 'neutral'],
  adjustment: ['Adjustment', 'accent'],
} as const satisfies States;

export function optionsOf(states: States): Option[] {
  return Object.entries(states).map(([value, [words]]) => [value, words]);
}
