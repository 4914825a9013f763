import type { Service } from '../../app/service.ts';
import type { AccountId, PayoutId } from '../../core/ids.ts';
import { ServiceError } from '../../errors.ts';
import type { TransferRailName } from '../../rails/contract/rail.ts';
import { RAIL_FORMS } from '../../rails/forms.ts';
import { findHeldPayouts, type HeldRow } from '../queries/held.ts';
import { findConnections, type RailConnection } from '../queries/rail-connections.ts';
import { findDueTransfers, findHinderedTransfers, type HinderedRow } from '../queries/transfers.ts';
import { openAccess } from './connections.ts';
import { FAR_MS } from './due.ts';
import { askedUntil } from './patience.ts';

/** More are counted no further. */
const SHOWN_MAX = 1_000;
/** A running server sees to a transfer within seconds; to that of a killed one two minutes later. */
const OVERDUE_MS = 5 * 60_000;

export interface ExaminedConnection {
  rail: TransferRailName;
  platformId: string;
  platformName: string | null;
  isLive: boolean;
  /** Why nothing can be requested with it; null if something can. */
  problem: string | null;
}

export interface TransferTroubles {
  /** At most 1,000, oldest first. */
  held: HeldRow[];
  /** Payouts that nobody sends, although it is their turn. */
  overdue: PayoutId[];
  /** At most 1,000, oldest first. */
  hindered: HinderedTransfer[];
  connections: ExaminedConnection[];
}

/** A payout that is not paid until a person acts. */
export interface HinderedTransfer extends Pick<HinderedRow, 'payoutId' | 'rail' | 'hindrance'> {
  /** The name of its rail, as people write it. */
  railTitle: string;
  /** When it is held, in epoch milliseconds. */
  heldAt: number;
}

/** What keeps an account's payouts from being sent. Asks no provider. */
export async function findTransferTroubles(service: Service, accountId: AccountId): Promise<TransferTroubles> {
  const { database, clock } = service;
  const due = { now: clock() - OVERDUE_MS, far: clock() + FAR_MS, limit: SHOWN_MAX };
  const { held, overdue, hindered, connections } = await database.report(async (tx) => ({
    held: await findHeldPayouts(tx, accountId, SHOWN_MAX),
    overdue: await findDueTransfers(tx, accountId, due),
    hindered: await findHinderedTransfers(tx, accountId, SHOWN_MAX),
    connections: await findConnections(tx, accountId),
  }));
  return {
    held,
    overdue,
    hindered: hindered.map((row) => ({ ...row, railTitle: RAIL_FORMS[row.rail].title, heldAt: askedUntil(row) })),
    connections: connections.map((connection) => examineConnection(service, connection)),
  };
}

function examineConnection(service: Service, connection: RailConnection): ExaminedConnection {
  const { rail, platformId, platformName, isLive } = connection;
  const examined = { rail, platformId, platformName, isLive: isLive === 1 };
  try {
    openAccess(service, connection);
    return { ...examined, problem: null };
  } catch (error) {
    if (error instanceof ServiceError) return { ...examined, problem: error.message };
    throw error;
  }
}
