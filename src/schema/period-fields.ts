import type { Period } from '../core/time.ts';
import { validationError } from '../errors.ts';
import { optional } from './fields.ts';
import { timeField } from './time-field.ts';

/** The query parameters of a period, to spread beside others; without both, all time. */
export const periodFields = {
  from: optional(timeField).describe('The start of the period: a time, or a day in UTC.'),
  to: optional(timeField).describe('The end of the period (exclusive).'),
};

/** @throws ServiceError `VALIDATION_ERROR` when the period does not end after its start */
export function requirePeriod({ from, to }: Period): Period {
  if (from !== null && to !== null && from >= to) {
    throw validationError([{ path: 'to', message: 'must be after from' }]);
  }
  return { from, to };
}
