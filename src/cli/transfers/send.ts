import { setTimeout as sleep } from 'node:timers/promises';
import type { PayoutInFull } from '../../client/api-types.ts';
import type { AccountApi } from '../api/account-api.ts';
import { type Changed, changeEach } from '../api/change-each.ts';
import { retryUnavailable } from '../api/retry-unavailable.ts';
import { note } from '../terminal/output.ts';
import type { Progress } from '../terminal/progress.ts';
import type { Candidate } from './choose.ts';

const LOOK_EVERY_MS = 1_000;
/** So many payouts are looked at each time, in turn, which leaves a key most of its requests. */
const LOOKS_REMOTE = 5;
const LOOKS_LOCAL = 50;

export interface Sent extends Pick<Changed<PayoutInFull>, 'failed' | 'stopped'> {
  /** Paid; without waiting, or if the work ended early, also those that are still being sent. */
  data: PayoutInFull[];
  held: PayoutInFull[];
}

interface Sending {
  /** False: only orders them. */
  wait: boolean;
  progress: Progress;
  /** Called with each payout as soon as it is paid, or held; with all that were ordered, without waiting. */
  onEnded(payout: PayoutInFull): void;
}

/** Has payouts sent, one after the other, and waits until it is known what became of each. */
export async function sendPayouts(
  api: AccountApi,
  candidates: readonly Candidate[],
  { wait, progress, onEnded }: Sending,
): Promise<Sent> {
  const ids = candidates.map(({ id }) => id);
  const ordered = await changeEach(ids, (id) => {
    progress.show(`ordering ${ids.indexOf(id) + 1} of ${ids.length}`);
    // repeated, it changes nothing
    return retryUnavailable(progress, () => api.call('sendPayout', { parameters: { id } }));
  });
  const sent: Sent = { data: [], held: [], failed: [...ordered.failed], stopped: ordered.stopped };
  const end = (payout: PayoutInFull): void => {
    if (payout.status === 'failed' || payout.status === 'canceled') return void sent.failed.push(failureOf(payout));
    (payout.status === 'held' ? sent.held : sent.data).push(payout);
    onEnded(payout);
  };
  if (wait && ordered.stopped === null) await watch(api, ordered.data, { progress, end });
  else for (const payout of ordered.data) end(payout);
  return sent;
}

function failureOf({ id, status, note: reason }: PayoutInFull) {
  const message = `Payout ${id} is ${status}${reason === null ? '' : `: ${reason}`}. Its entries are in the partner's next payout`;
  return { id, code: 'TRANSFER_FAILED', message };
}

interface Watching {
  progress: Progress;
  end(payout: PayoutInFull): void;
}

async function watch(api: AccountApi, ordered: readonly PayoutInFull[], { progress, end }: Watching): Promise<void> {
  const problems = new Set<string>();
  let open = [...ordered];
  while (open.length > 0) {
    const worked = await retryUnavailable(progress, () => api.finish('transfers'));
    const looks = worked === null ? LOOKS_REMOTE : LOOKS_LOCAL;
    const still: PayoutInFull[] = [];
    for (const { id } of open.slice(0, looks)) {
      const payout = await retryUnavailable(progress, () => api.call('getPayout', { parameters: { id } }));
      if (isEnded(payout)) end(payout);
      else still.push(payout);
    }
    for (const payout of still) noteProblem(payout, problems);
    open = [...open.slice(looks), ...still];
    progress.show(progressText(open, ordered.length, worked));
    if (open.length > 0 && !worked) await sleep(LOOK_EVERY_MS);
  }
}

/** True once nobody sees to the transfer any more. */
function isEnded({ status, transfer }: PayoutInFull): boolean {
  return status !== 'processing' && (status !== 'held' || transfer === null || transfer.nextAttemptAt === null);
}

/** Says why a payout is not paid yet, each reason once. */
function noteProblem({ id, status, transfer }: PayoutInFull, known: Set<string>): void {
  const problem = transfer?.problem;
  // the reason why it was held before is no news
  if (!problem || status === 'held' || known.has(problem)) return;
  known.add(problem);
  note(`${id} is not paid yet, and tried again: ${problem}.`);
}

function progressText(open: readonly PayoutInFull[], count: number, worked: number | null): string {
  const text = `${count - open.length} of ${count} ended`;
  const isDue = ({ transfer }: PayoutInFull) => Date.parse(transfer?.nextAttemptAt ?? '') < Date.now();
  if (worked === 0 && open.some(isDue)) {
    return `${text}; another process is sending: if it was stopped, this continues within two minutes`;
  }
  return text;
}
