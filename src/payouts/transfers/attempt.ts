import type { Service } from '../../app/service.ts';
import { ServiceError } from '../../errors.ts';
import type { Transfer, TransferAccess, TransferClient, TransferResult } from '../../rails/contract/transfer.ts';
import { RAIL_FORMS } from '../../rails/forms.ts';
import { TRANSFER_RAILS } from '../../rails/index.ts';
import { findConnection } from '../queries/rail-connections.ts';
import { noteOrder, type TransferLease, type TransferRow } from '../queries/transfers.ts';
import { isSamePlatform, openAccess } from './connections.ts';
import { clockErrorOf, decideOrder, type Moment, orderedLater } from './patience.ts';
import { withTime } from './provider-time.ts';

/** Another process sees to the transfer, or a person has ended it. */
export class TransferLost extends Error {
  constructor() {
    super('The transfer is no longer seen to here');
  }
}

export interface Attempt {
  lease: TransferLease;
  /** Aborted when the process stops. */
  signal: AbortSignal;
}

/** What an attempt came to, and the members of the row that it changed. */
export interface Attempted {
  result: TransferResult;
  ordered: Partial<Pick<TransferRow, 'attempts' | 'firstAttemptAt'>>;
}

/** All requests of an attempt; shorter than its lease. */
const REQUESTS_MS_MAX = 90_000;

/**
 * Looks for the payment at the provider, and orders it if it may be ordered and was not found. What is about to be
 * ordered is committed before. Looking first costs one request, and finds what was ordered before a backup was restored.
 *
 * @throws TransferLost; whatever the database throws
 */
export async function lookAndOrder(service: Service, row: TransferRow, { lease, signal }: Attempt): Promise<Attempted> {
  const looked = await prepare(service, row, signal);
  if ('result' in looked) return { result: looked.result, ordered: {} };
  const { access, client, transfer, railNow } = looked;
  const now = service.clock();
  const noted = await service.database.write((tx) => noteOrder(tx, { ...lease, now, railNow }), { alone: true });
  if (noted === 0) throw new TransferLost();
  const ordered = { attempts: row.attempts + 1, firstAttemptAt: row.firstAttemptAt ?? now };
  return { result: await client.send(access, transfer, row.attempts > 0), ordered };
}

interface Prepared {
  access: TransferAccess;
  client: TransferClient;
  transfer: Transfer;
  /** The provider's time before the order; null if it told none. */
  railNow: number | null;
}

/** Everything before the order; a result if there is nothing to order. */
async function prepare(
  service: Service,
  row: TransferRow,
  signal: AbortSignal,
): Promise<Prepared | { result: TransferResult }> {
  const { rail, payoutId, amount, currency, destination } = row;
  const opened = await openConnection(service, row);
  if (typeof opened === 'string') return { result: { ...withoutRequest(opened), hindrance: 'key' } };
  if (destination === null) return { result: withoutRequest('The partner was erased') };
  const { fetch, railNow } = withTime(fetchInTime(service, opened.fetch));
  const access = {
    ...opened,
    fetch,
    signal: AbortSignal.any([signal, AbortSignal.timeout(REQUESTS_MS_MAX)]),
  };
  const client = await TRANSFER_RAILS[rail].client();
  const transfer = { payoutId, amount, currency, destination };
  const found = await client.find(access, transfer);
  if (found.outcome !== 'none') return { result: found };
  const now = { ours: service.clock(), rail: railNow() };
  logClockError(service, row, now);
  const decision = decideOrder(row, now);
  if (decision === 'later') return { result: orderedLater(RAIL_FORMS[rail].title, now) };
  if (decision === 'never') {
    const reason = `${RAIL_FORMS[rail].title} lists no such payment, which does not prove that there is none`;
    return { result: { outcome: 'contradicted', reason, transferId: null } };
  }
  const flaw = row.attempts === 0 ? await flawOf(client, access, destination) : null;
  return flaw === null ? { access, client, transfer, railNow: now.rail } : { result: flaw };
}

function logClockError({ log }: Service, { payoutId, accountId, rail }: TransferRow, now: Moment): void {
  const clockAheadMs = clockErrorOf(now);
  if (clockAheadMs === 0) return;
  const message = 'transfer: the clock of this server differs from that of the provider by minutes or more: check it';
  log.warn({ payoutId, accountId, rail, clockAheadMs }, message);
}

/**
 * Requests nothing once the attempt's time is over by the clock, or by a count of milliseconds that no clock changes. Timers
 * and that count stand still while a machine is suspended, and when it goes on after a day, the provider has forgotten
 * what another process has ordered.
 */
function fetchInTime({ clock }: Service, request: typeof fetch): typeof fetch {
  const endsAt = clock() + REQUESTS_MS_MAX;
  const countedEnd = performance.now() + REQUESTS_MS_MAX;
  return async (...parameters) => {
    if (clock() > endsAt || performance.now() > countedEnd) throw new Error('The time of this attempt is over');
    return request(...parameters);
  };
}

/**
 * Why nothing can be requested. Decides nothing, even if nothing was ordered as far as the database knows: it may be a
 * backup, and the server that went on may have ordered since.
 */
function withoutRequest(reason: string): Extract<TransferResult, { outcome: 'unknown' }> {
  return { outcome: 'unknown', reason };
}

/** What the API is called with; a text says why it cannot be. */
async function openConnection(service: Service, row: TransferRow): Promise<TransferAccess | string> {
  const { accountId, rail, platformId } = row;
  const connection = await service.database.read((tx) => findConnection(tx, accountId, rail));
  const { title } = RAIL_FORMS[rail];
  if (connection === undefined) return `${title} is no longer connected`;
  if (!isSamePlatform(connection, row)) return `${title} is connected with another account than ${platformId}`;
  try {
    return openAccess(service, connection);
  } catch (error) {
    if (error instanceof ServiceError) return error.message;
    throw error;
  }
}

/** What the provider says about the account decides; that it does not answer, or refuses the key, decides nothing. */
async function flawOf(client: TransferClient, access: TransferAccess, account: string): Promise<TransferResult | null> {
  try {
    const reason = await client.flawOf(access, account);
    return reason === null ? null : { outcome: 'refused', reason };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const hindrance = error.code === 'INVALID_STATE' ? 'key' : null;
    return { outcome: 'unknown', reason: error.message, hindrance };
  }
}
