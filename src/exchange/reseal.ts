import { SEALED_COLUMNS, type SealedTable } from '../app/sealed-columns.ts';
import type { Sealer } from '../app/service.ts';
import type { StoredRow } from './queries/walk.ts';

/** The ids of rows that lost what was sealed in them, because neither key opens it. */
export interface LostSecrets {
  /** Endpoints whose secrets somebody must enter again. */
  endpointsWithoutSecrets: string[];
  /** Endpoints that get no events until somebody gives them a new secret. */
  eventEndpointsWithoutSecrets: string[];
  /** Partners whose payout details somebody must enter again. */
  partnersWithoutPayoutDetails: string[];
  /** Files of payouts that can no longer be downloaded. */
  payoutFilesWithoutContent: string[];
  /** Connections to the accounts that pay, which somebody must make again. The whole row is left out. */
  railConnectionsLeftOut: string[];
}

export interface Resealing {
  /** The row of this table, with what this service can open, or without it; null for a row that is nothing without it. */
  reseal(table: string, row: StoredRow): StoredRow | null;
  readonly lost: LostSecrets;
  /** True once a value was lost, while the source's key has opened none: it is the key of something else. */
  isWrongKey(): boolean;
}

/** What it means for a row that its value was lost. */
interface Loss {
  /** Where a row that lost its value is named. */
  lost: keyof LostSecrets;
  /** True when nobody can use the value any more, so that nobody misses it. */
  isUnused(row: StoredRow): boolean;
  /** What else changes in a row that lost a value in use; null for a row that is left out without it. */
  without(row: StoredRow): StoredRow | null;
}

const SECRET_LEFT_OUT = 'the import left its secret out: rotate it, then enable the endpoint';

/** By table; an export has no imports. */
const LOSSES: Readonly<Record<Exclude<SealedTable, 'imports'>, Loss>> = {
  webhook_endpoints: {
    lost: 'endpointsWithoutSecrets',
    isUnused: ({ deleted_at = null }) => deleted_at !== null,
    without: () => ({ secret_counts: '{}' }),
  },
  event_endpoints: {
    lost: 'eventEndpointsWithoutSecrets',
    // earlier versions gave listeners a secret, too
    isUnused: ({ status, kind }) => status === 'deleted' || kind === 'listener',
    // nothing can be signed without a secret, so nothing is sent
    without: () => ({ status: 'disabled', disabled_reason: SECRET_LEFT_OUT }),
  },
  partners: {
    lost: 'partnersWithoutPayoutDetails',
    isUnused: ({ deleted_at = null }) => deleted_at !== null,
    // masked details would claim that the partner can be paid
    without: () => ({ payout_details: null }),
  },
  payout_files: {
    lost: 'payoutFilesWithoutContent',
    isUnused: ({ canceled_at = null }) => canceled_at !== null,
    without: () => ({}),
  },
  rail_connections: {
    lost: 'railConnectionsLeftOut',
    isUnused: () => false,
    // without its key, nothing can be sent by it
    without: () => null,
  },
};

/** Values that the service's key opens stay as they are; those of its fallbacks or the source's key are sealed again. */
export function createResealing(own: Sealer, source: Sealer | null): Resealing {
  const lost: LostSecrets = {
    endpointsWithoutSecrets: [],
    eventEndpointsWithoutSecrets: [],
    partnersWithoutPayoutDetails: [],
    payoutFilesWithoutContent: [],
    railConnectionsLeftOut: [],
  };
  let openedBySource = 0;
  return {
    lost,
    isWrongKey: () => source !== null && openedBySource === 0 && Object.values(lost).some((ids) => ids.length > 0),
    reseal(table, row) {
      if (!isSealed(table)) return row;
      const loss = LOSSES[table];
      const column = SEALED_COLUMNS[table];
      const sealed = row[column];
      if (!Buffer.isBuffer(sealed)) return row;
      const ownKey = own.keyOf(sealed);
      if (ownKey === 'current') return row;
      if (ownKey === 'fallback') return { ...row, [column]: own.seal(own.open(sealed)) };
      if (source !== null && source.keyOf(sealed) !== null) {
        openedBySource += 1;
        return { ...row, [column]: own.seal(source.open(sealed)) };
      }
      if (loss.isUnused(row)) return { ...row, [column]: null };
      lost[loss.lost].push(String(row.id));
      const changes = loss.without(row);
      return changes === null ? null : { ...row, ...changes, [column]: null };
    },
  };
}

function isSealed(table: string): table is keyof typeof LOSSES {
  return Object.hasOwn(LOSSES, table);
}
