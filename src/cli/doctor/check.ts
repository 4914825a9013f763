import { asCalled } from '../../app/invocation.ts';
import type { AccountId } from '../../core/ids.ts';

/** `warning`: worth knowing, but possibly intended. `failed`: money or data is at risk until it is fixed. */
export type CheckStatus = 'ok' | 'warning' | 'failed';

export interface CheckedAccount {
  id: AccountId;
  name: string;
}

/** One line of `doctor`. */
export interface Check {
  check: string;
  status: CheckStatus;
  message: string;
  /** What to do; null if nothing is wrong. */
  advice: string | null;
}

export function passed(check: string, message: string): Check {
  return { check, status: 'ok', message, advice: null };
}

export function warned(check: string, message: string, advice: string): Check {
  return { check, status: 'warning', message, advice: asCalled(advice) };
}

export function failed(check: string, message: string, advice: string): Check {
  return { check, status: 'failed', message, advice: asCalled(advice) };
}
