import type { TraceStep } from '../../client/api-types.ts';
import { formatMoney } from '../../core/money.ts';
import { formatTable } from './table.ts';

/** The steps of an attribution; the commission's value as money, unless its currency is unknown. */
export function formatSteps(steps: readonly TraceStep[], currency: string | null): string {
  const lines = steps.map(({ step, value, result, reason }) => {
    const isAmount = step === 'commission' && value !== null && currency !== null;
    return [step, isAmount ? formatMoney(Number(value), currency) : value, result, reason];
  });
  return formatTable(['step', 'value', 'result', 'reason'], lines);
}
