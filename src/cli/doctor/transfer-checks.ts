import type { Service } from '../../app/service.ts';
import { isoTime } from '../../core/time.ts';
import { type ExaminedConnection, findTransferTroubles } from '../../payouts/transfers/troubles.ts';
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
  const { held, overdue, connections } = await findTransferTroubles(service, accountId);
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
  return checks;
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
