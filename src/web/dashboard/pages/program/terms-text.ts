import type { Answer, CallInput } from '../../../parts/api.ts';
import {
  amountsPatch,
  amountsText,
  type CommissionText,
  commissionPatch,
  commissionText,
  parseAmounts,
  parseCommission,
} from '../../ui/commission-text.ts';

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

/**
 * What was changed of `program`, as it was when the form opened, so that others' changes meanwhile stay; null while something
 * cannot be read.
 */
export function patchOf(text: TermsText, program: Program): Patch | null {
  const terms = parseTerms(text);
  const minimum = parseAmounts(text.minimumPayout);
  if (terms === null || minimum === null) return null;
  const { name, description, emailMatching, selfReferral } = text;
  const whole = {
    name,
    description,
    emailMatching,
    selfReferral,
    ...terms,
    commission: commissionPatch(terms.commission, program.commission) as Terms['commission'],
    minimumPayout: amountsPatch(minimum, program.minimumPayout),
  };
  const opened = Object.entries(program);
  const isChanged = ([member, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(opened.find(([name]) => name === member)?.[1]);
  return Object.fromEntries(Object.entries(whole).filter(isChanged)) as Patch;
}
