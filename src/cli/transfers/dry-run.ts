import type { PayoutInFull } from '../../client/api-types.ts';
import type { AccountApi } from '../api/account-api.ts';
import type { Changed } from '../api/change-each.ts';
import { counted, type Progress } from '../terminal/progress.ts';
import type { Candidate, Chosen } from './choose.ts';

export interface DryRun extends Pick<Chosen, 'unchanged' | 'skipped'>, Pick<Changed<unknown>, 'failed'> {
  /** What would be sent, and to which account, masked. */
  data: (Candidate & { rail: string; account: string | null })[];
  /** Their payments would be looked for again. */
  held: PayoutInFull[];
}

/** What sending would do, as far as it is known without asking the provider. */
export async function dryRunOf(
  api: AccountApi,
  { candidates, unchanged, skipped }: Chosen,
  progress: Progress,
): Promise<DryRun> {
  const run: DryRun = { data: [], unchanged, held: [], failed: [], skipped };
  for (const [index, { id }] of candidates.entries()) {
    progress.show(`looked at ${index} of ${counted(candidates.length, 'payout')}`);
    const payout = await api.call('getPayout', { parameters: { id } });
    if (payout.status === 'held') run.held.push(payout);
    else await addPayout(api, run, payout);
  }
  return run;
}

async function addPayout(api: AccountApi, run: DryRun, payout: PayoutInFull): Promise<void> {
  const { id, partnerId, partnerName, amount, currency, status, fileId, transfer } = payout;
  const refuse = (message: string) => void run.failed.push({ id, code: 'INVALID_STATE', message });
  const add = (rail: string, account: string | null) =>
    void run.data.push({ id, partnerId, partnerName, amount, currency, rail, account });
  if (status !== 'processing') return refuse(`Payout ${id} is ${status}; only a payout that is processing can be sent`);
  if (transfer !== null) return add(transfer.rail, transfer.destination);
  if (fileId !== null)
    return refuse(`Payout ${id} is in the file ${fileId}: cancel that file first if it was not sent`);
  const { payoutDetails } = await api.call('getPartner', { parameters: { id: partnerId } });
  if (payoutDetails === null) return refuse(`Payout ${id}: ${partnerName} has no payout details`);
  if (!('account' in payoutDetails)) {
    return refuse(`Payout ${id}: ${partnerName} is paid by ${payoutDetails.rail}, which makes files`);
  }
  return add(payoutDetails.rail, payoutDetails.account);
}
