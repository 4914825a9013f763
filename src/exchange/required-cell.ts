import { validationError } from '../errors.ts';
import type { Fields } from './csv-columns.ts';

/** @throws ServiceError `VALIDATION_ERROR` when the row has nothing in this field */
export function requiredCell(fields: Fields, name: string): string {
  const text = fields[name];
  if (text === undefined) throw validationError([{ path: name, message: 'is required' }]);
  return text;
}
