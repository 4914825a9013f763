import type { Service } from '../../app/service.ts';
import { isoTime } from '../../core/time.ts';
import {
  type ExaminedConnection,
  findTransferTroubles,
  type HinderedTransfer,
} from '../../payouts/transfers/troubles.ts';
import { sumsByCurrency, sumsText } from '../terminal/cell.ts';
import { counted } from '../terminal/progress.ts';
import { type Check, type CheckedAccount, failed, passed } from './check.ts';

/**
 * Payouts that are sent by a provider's API: those of which nobody knows whether they were paid, those that nobody sends,
 * and whether the provider can be asked. No check if nothing is connected, and nothing was.
 */
export async function transferChecks(
  service: Service,
  { id: accountId, name }: CheckedAccount,
  option: string,
): Promise<Check[]> {
  const { held, overdue, hindered, connections } = await findTransferTroubles(service, accountId);
  const checks = connections.map((connection) => connectionCheck(name, connection));
  const [firstHeld] = held;
  if (firstHeld !== undefined) {
    const { orderedAt } = firstHeld;
    const since = orderedAt === null ? '' : `, the first of which was ordered at ${isoTime(orderedAt)}`;
    const message = `${name}: ${counted(held.length, 'payout')} of ${sumsText(sumsByCurrency(held))} may have been paid or not${since}`;
    const advice =
      `Look at Stripe for the transfer group payout_${firstHeld.id}, then \`refbridge payouts mark-paid ${firstHeld.id}\` if ` +
      'the money was sent, or `mark-failed` if it certainly was not. ' +
      `\`refbridge payouts list --status held${option}\` lists them.`;
    checks.push(failed('held payouts', message, advice));
  }
  const [firstOverdue] = overdue;
  if (firstOverdue !== undefined) {
    const message = `${name}: nobody sends ${counted(overdue.length, 'payout')}, the first: ${firstOverdue}`;
    const advice =
      'A running server sends them: check that one is running, and read its log. Without one: ' +
      `\`refbridge payouts send --all${option}\`.`;
    checks.push(failed('payouts being sent', message, advice));
  }
  return [...checks, ...hinderedChecks(name, hindered)];
}

/** Why payouts are not paid, and what to do, by what keeps them from it. */
const HINDRANCES: Readonly<
  Record<HinderedTransfer['hindrance'], (transfer: HinderedTransfer) => [why: string, advice: string]>
> = {
  key: ({ rail, railTitle }) => [
    `cannot be sent with the key of ${railTitle} that is stored`,
    `Store a valid key of the same account: \`refbridge rails connect ${rail}\`.`,
  ],
  clock: ({ railTitle }) => [
    `cannot be sent because the clocks of this server and of ${railTitle} disagree`,
    'Set the clocks of all servers, and keep them right by NTP.',
  ],
  failure: () => [
    'cannot be sent because of an error in Refbridge',
    "Look for the payout's id in the server's log, and report the error that is there.",
  ],
};

function hinderedChecks(name: string, hindered: readonly HinderedTransfer[]): Check[] {
  return Object.entries(HINDRANCES).flatMap(([hindrance, textsFor]) => {
    const transfers = hindered.filter((transfer) => transfer.hindrance === hindrance);
    const [first] = transfers;
    if (first === undefined) return [];
    const [why, advice] = textsFor(first);
    const message = `${name}: ${counted(transfers.length, 'payout')} ${why}, the first: ${first.payoutId}`;
    const heldAt = isoTime(Math.min(...transfers.map((transfer) => transfer.heldAt)));
    return [failed('payouts being sent', message, `${advice} ${whatFollows(transfers.length, heldAt)}`)];
  });
}

/** What becomes of payouts once somebody has acted, and if nobody does. */
function whatFollows(count: number, heldAt: string): string {
  const [it, is, itself] = count === 1 ? ['it', 'is', 'itself'] : ['they', 'are', 'themselves'];
  return (
    `Then ${it} ${is} sent by ${itself}, or held if ${it} may have been paid already. If neither happens, ${it} ${is} ` +
    `held from ${heldAt} on, and \`refbridge payouts show\` says why.`
  );
}

function connectionCheck(name: string, { rail, platformId, platformName, isLive, problem }: ExaminedConnection): Check {
  const check = `rail ${rail}`;
  if (problem !== null) {
    return failed(check, `${name}: ${problem}`, 'Until then, no payout is sent, and none that is held is looked for.');
  }
  const platform = platformName === null ? platformId : `${platformName} (${platformId})`;
  const mode = isLive ? 'live' : 'in test mode, which moves no real money';
  return passed(check, `${name}: connected with ${platform}, ${mode}`);
}
