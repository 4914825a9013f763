import type { PayoutExport, PayoutInFull, Rail } from '../../client/api-types.ts';
import type { AccountApi } from '../api/account-api.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { note } from '../terminal/output.ts';
import { counted, type Progress } from '../terminal/progress.ts';

/** A payout to be sent. */
export interface Candidate {
  id: string;
  partnerId: string;
  partnerName: string;
  /** Minor units. */
  amount: number;
  currency: string;
}

export interface Skipped {
  /** `in a payout file` */
  reason: string;
  count: number;
}

export interface Chosen {
  candidates: Candidate[];
  /** Paid before. */
  unchanged: PayoutInFull[];
  /** Why the others of all payouts are not sent. */
  skipped: Skipped[];
}

/** The named payouts. @throws ServiceError `NOT_FOUND` when one does not exist */
export async function chooseNamed(api: AccountApi, ids: readonly string[]): Promise<Chosen> {
  const chosen: Chosen = { candidates: [], unchanged: [], skipped: [] };
  for (const id of new Set(ids)) {
    const payout = await api.call('getPayout', { parameters: { id } });
    if (payout.status === 'paid') chosen.unchanged.push(payout);
    else chosen.candidates.push(payout);
  }
  return chosen;
}

/** Every payout that is processing, in no file, and whose partner is paid by transfers; oldest first. */
export async function chooseAll(api: AccountApi, progress: Progress): Promise<Chosen> {
  const query = { format: 'json', status: 'processing' };
  const { data } = (await api.call('exportPayouts', { query })) as PayoutExport;
  const skipped = new Map<string, number>();
  const candidates: Candidate[] = [];
  const reasonOf = await skipReasons(api);
  for (const [index, { id, partner, amount, currency, fileId, transferStatus }] of data.entries()) {
    progress.show(`looked at ${index} of ${counted(data.length, 'payout')}`);
    const isUnderWay = transferStatus !== null;
    const reason = isUnderWay ? null : fileId === null ? await reasonOf(partner.id) : 'in a payout file';
    if (reason !== null) skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
    else candidates.push({ id, partnerId: partner.id, partnerName: partner.name, amount, currency });
  }
  return {
    candidates,
    unchanged: [],
    skipped: [...skipped].map(([reason, count]) => ({ reason, count })),
  };
}

/** Why no payout of a partner is sent; null if it is. A partner is looked up once. */
async function skipReasons(api: AccountApi): Promise<(partnerId: string) => Promise<string | null>> {
  const transferRails = (await railsOf(api)).map(({ rail }) => rail);
  const known = new Map<string, string | null>();
  return async (id) => {
    const before = known.get(id);
    if (before !== undefined) return before;
    const { payoutDetails } = await api.call('getPartner', { parameters: { id } });
    const reason = reasonFor(payoutDetails?.rail, transferRails);
    known.set(id, reason);
    return reason;
  };
}

function reasonFor(rail: Rail['rail'] | undefined, transferRails: readonly string[]): string | null {
  if (rail === undefined) return 'without payout details of the partner';
  return transferRails.includes(rail) ? null : `paid by a file for ${rail}`;
}

/** The rails that send money. */
async function railsOf(api: AccountApi): Promise<Rail[]> {
  return (await api.call('listRails')).data.filter(({ kind }) => kind === 'transfer');
}

/**
 * Says if no real money is moved.
 *
 * @throws CommandError when no provider is connected, so that nothing can be sent
 */
export async function requireConnected(api: AccountApi): Promise<void> {
  const rails = await railsOf(api);
  const connected = rails.filter(({ connection }) => connection !== null);
  if (connected.length === 0) {
    const names = rails.map(({ rail }) => rail).join(' or ');
    throw new CommandError(
      EXIT.unexpected,
      `Nothing was sent: connect ${names} first, as \`refbridge rails connect --help\` says.`,
    );
  }
  for (const { rail, connection } of connected) {
    if (connection?.mode === 'test') note(`${rail} is connected in test mode: no real money is moved.`);
  }
}
