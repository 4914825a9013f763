import type { Sealer } from '../app/service.ts';
import type { StoredRow } from './queries/walk.ts';

export interface Resealing {
  /** The row of an endpoint, with secrets that this service can open, or without secrets. */
  reseal(endpoint: StoredRow): StoredRow;
  /** Ids of the endpoints whose secrets were left out. */
  readonly lost: string[];
}

/** Secrets that the service's key opens stay as they are; those of the source's key are sealed again. */
export function createResealing(own: Sealer, source: Sealer | null): Resealing {
  const lost: string[] = [];
  return {
    lost,
    reseal(endpoint) {
      const sealed = endpoint.sealed_secrets;
      if (!Buffer.isBuffer(sealed) || opened(own, sealed) !== null) return endpoint;
      const text = source === null ? null : opened(source, sealed);
      if (text !== null) return { ...endpoint, sealed_secrets: own.seal(text) };
      // nobody misses the secrets of a deleted endpoint
      if (!isDeleted(endpoint)) lost.push(String(endpoint.id));
      // nothing can be signed without a secret, so nothing is sent
      const without = 'secret_counts' in endpoint ? { secret_counts: '{}' } : { status: 'disabled' };
      return { ...endpoint, sealed_secrets: null, ...(isDeleted(endpoint) ? {} : without) };
    },
  };
}

/** For endpoints of processors and endpoints that events are sent to. */
function isDeleted({ deleted_at = null, status }: StoredRow): boolean {
  return deleted_at !== null || status === 'deleted';
}

function opened(sealer: Sealer, sealed: Buffer): string | null {
  try {
    return sealer.open(sealed);
  } catch {
    return null;
  }
}
