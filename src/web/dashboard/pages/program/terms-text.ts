import type { Answer, CallInput } from '../../../parts/api.ts';
import {
  amountsText,
  type CommissionText,
  commissionText,
  parseAmounts,
  parseCommission,
} from '../../ui/commission-fields.tsx';

type Program = Answer<'getProgram'>;
type Patch = CallInput<'updateProgram'>['body'];
export type Terms = Pick<Program, 'commission' | 'durationMonths' | 'holdDays' | 'amountBasis'>;

/** The terms of a program while they are edited. */
export interface TermsText {
  name: string;
  description: string;
  commission: CommissionText;
  duration: 'all' | 'first' | 'months';
  months: string;
  holdDays: string;
  minimumPayout: string;
  amountBasis: Program['amountBasis'];
  emailMatching: boolean;
  selfReferral: Program['selfReferral'];
}

export function termsText(program: Program): TermsText {
  const { durationMonths: months } = program;
  return {
    name: program.name,
    description: program.description,
    commission: commissionText(program.commission),
    duration: months === null ? 'all' : months === 0 ? 'first' : 'months',
    months: String(months || 12),
    holdDays: String(program.holdDays),
    minimumPayout: amountsText(program.minimumPayout),
    amountBasis: program.amountBasis,
    emailMatching: program.emailMatching,
    selfReferral: program.selfReferral,
  };
}

/** Null while a value is invalid. */
export function parseTerms({ commission, duration, months, holdDays, amountBasis }: TermsText): Terms | null {
  const parsed = parseCommission(commission);
  const isWhole = /^\d+$/;
  if (!parsed || !isWhole.test(holdDays) || (duration === 'months' && !isWhole.test(months))) return null;
  const durationMonths = duration === 'all' ? null : duration === 'first' ? 0 : Number(months);
  return { commission: parsed, durationMonths, holdDays: Number(holdDays), amountBasis };
}

/** The patch to send; null while a value is invalid. */
export function patchOf(text: TermsText, program: Program): Patch | null {
  const terms = parseTerms(text);
  const minimum = parseAmounts(text.minimumPayout);
  if (terms === null || minimum === null) return null;
  const { name, description, emailMatching, selfReferral } = text;
  const gone = Object.keys(program.minimumPayout).filter((currency) => !(currency in minimum));
  // in a merge patch, null removes a currency
  const minimumPayout = { ...Object.fromEntries(gone.map((currency) => [currency, null])), ...minimum };
  return {
    name,
    description,
    emailMatching,
    selfReferral,
    ...terms,
    minimumPayout: minimumPayout as Record<string, number>,
  };
}
