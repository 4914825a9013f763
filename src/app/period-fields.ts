import type { Period } from '../core/time.ts';
import { validationError } from '../errors.ts';
import { optional } from './fields.ts';
import { timeField } from './time-field.ts';

/** The query parameters of what is answered for a period, to be spread beside others; without both it is all time. */
export const periodFields = { from: optional(timeField), to: optional(timeField) };

/** @throws ServiceError `VALIDATION_ERROR` for a period that ends before it began */
export function requirePeriod({ from, to }: Period): Period {
  if (from !== null && to !== null && from >= to) {
    throw validationError([{ path: 'to', message: 'must be after from' }]);
  }
  return { from, to };
}
