import { validationError } from '../errors.ts';

/**
 * Checks every text in parsed JSON, including the names of members, without recursion.
 *
 * @throws ServiceError `VALIDATION_ERROR` for the first text that contains NUL
 */
export function requireNoNul(input: unknown): void {
  const pending: { path: string; value: unknown }[] = [{ path: '', value: input }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { path, value } = next;
    if (typeof value === 'string' && value.includes('\0')) throw containsNul(path);
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, child] of Object.entries(value)) {
      if (name.includes('\0')) throw containsNul(path);
      pending.push({ path: path === '' ? name : `${path}.${name}`, value: child });
    }
  }
}

function containsNul(path: string) {
  return validationError([{ path, message: 'must not contain NUL' }]);
}
