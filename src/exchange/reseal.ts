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
}

export interface Resealing {
  /** The row of this table, with what this service can open, or without it. */
  reseal(table: string, row: StoredRow): StoredRow;
  readonly lost: LostSecrets;
  /** True once a value was lost, while the source's key has opened none: it is the key of something else. */
  isWrongKey(): boolean;
}

interface SealedColumn {
  column: string;
  /** Where a row that lost its value is named. */
  lost: keyof LostSecrets;
  /** True when nobody can use the value any more, so that nobody misses it. */
  isUnused(row: StoredRow): boolean;
  /** What else changes in a row that lost a value in use. */
  without(row: StoredRow): StoredRow;
}

const SECRET_LEFT_OUT = 'the import left its secret out: rotate it, then enable the endpoint';

/** The sealed column of each exported table that has one. */
export const SEALED_COLUMNS: Readonly<Record<string, SealedColumn>> = {
  webhook_endpoints: {
    column: 'sealed_secrets',
    lost: 'endpointsWithoutSecrets',
    isUnused: ({ deleted_at = null }) => deleted_at !== null,
    without: () => ({ secret_counts: '{}' }),
  },
  event_endpoints: {
    column: 'sealed_secrets',
    lost: 'eventEndpointsWithoutSecrets',
    // earlier versions gave listeners a secret, too
    isUnused: ({ status, kind }) => status === 'deleted' || kind === 'listener',
    // nothing can be signed without a secret, so nothing is sent
    without: () => ({ status: 'disabled', disabled_reason: SECRET_LEFT_OUT }),
  },
  partners: {
    column: 'sealed_payout_details',
    lost: 'partnersWithoutPayoutDetails',
    isUnused: ({ deleted_at = null }) => deleted_at !== null,
    // masked details would claim that the partner can be paid
    without: () => ({ payout_details: null }),
  },
  payout_files: {
    column: 'sealed_content',
    lost: 'payoutFilesWithoutContent',
    isUnused: ({ canceled_at = null }) => canceled_at !== null,
    without: () => ({}),
  },
};

/** Values that the service's key opens stay as they are; those of its fallbacks or the source's key are sealed again. */
export function createResealing(own: Sealer, source: Sealer | null): Resealing {
  const lost: LostSecrets = {
    endpointsWithoutSecrets: [],
    eventEndpointsWithoutSecrets: [],
    partnersWithoutPayoutDetails: [],
    payoutFilesWithoutContent: [],
  };
  let openedBySource = 0;
  return {
    lost,
    isWrongKey: () => source !== null && openedBySource === 0 && Object.values(lost).some((ids) => ids.length > 0),
    reseal(table, row) {
      const sealing = SEALED_COLUMNS[table];
      if (sealing === undefined) return row;
      const { column } = sealing;
      const sealed = row[column];
      if (!Buffer.isBuffer(sealed)) return row;
      const ownKey = own.keyOf(sealed);
      if (ownKey === 'current') return row;
      if (ownKey === 'fallback') return { ...row, [column]: own.seal(own.open(sealed)) };
      if (source !== null && source.keyOf(sealed) !== null) {
        openedBySource += 1;
        return { ...row, [column]: own.seal(source.open(sealed)) };
      }
      if (sealing.isUnused(row)) return { ...row, [column]: null };
      lost[sealing.lost].push(String(row.id));
      return { ...row, ...sealing.without(row), [column]: null };
    },
  };
}
