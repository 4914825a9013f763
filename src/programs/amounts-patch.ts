import { parseCurrency } from '../core/money.ts';
import { validationError } from '../errors.ts';
import { isObject } from '../schema/is-object.ts';

/** The members of a patch that contain amounts by currency. */
interface AmountsPatch {
  readonly commission?: unknown;
  readonly minimumPayout?: unknown;
}

/**
 * The patch with currency codes in lower case, as they are stored: a JSON Merge Patch compares names exactly, and would
 * otherwise neither replace nor remove the stored amount of `USD`.
 *
 * @throws ServiceError `VALIDATION_ERROR` when it names a currency twice
 */
export function withStoredCodes<Patch extends AmountsPatch>(patch: Patch): Patch {
  const { commission, minimumPayout } = patch;
  const changed = { ...patch };
  if (isObject(minimumPayout)) Object.assign(changed, { minimumPayout: inLowerCase(minimumPayout, 'minimumPayout') });
  if (isObject(commission) && 'amounts' in commission && isObject(commission.amounts)) {
    const amounts = inLowerCase(commission.amounts, 'commission.amounts');
    Object.assign(changed, { commission: { ...commission, amounts } });
  }
  return changed;
}

function inLowerCase(amounts: object, path: string): object {
  const lowered = new Map<string, unknown>();
  for (const [name, amount] of Object.entries(amounts)) {
    const code = parseCurrency(name) ?? name;
    if (lowered.has(code)) throw validationError([{ path, message: `must name ${code} once` }]);
    lowered.set(code, amount);
  }
  return Object.fromEntries(lowered);
}
