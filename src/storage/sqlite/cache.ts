/** The page caches of one thread's connections, in KiB. */
export interface CacheSizes {
  writerKibibytes: number;
  readerKibibytes: number;
  /** Of the report thread that this thread starts. */
  reportsKibibytes: number;
}

/** For a command: what it needs, however large the file is. */
export const COMMAND_CACHES: CacheSizes = { writerKibibytes: 4_000, readerKibibytes: 4_000, reportsKibibytes: 4_000 };

/**
 * For the payout audit in a large file: enough for a month's entries, because payouts are compared one after the other.
 */
export const PAYOUT_AUDIT_CACHES: CacheSizes = { ...COMMAND_CACHES, readerKibibytes: 16_000 };

/**
 * In percent. A write visits pages of some twenty indexes, a delivery more than any other; lookups and reports visit few,
 * and reports rarely the same ones again.
 */
const SHARES = { mainWriter: 35, deliveryWriter: 50, mainReader: 8, reports: 7 };
/** The delivery thread reads through its writer only. */
const UNUSED_KIBIBYTES = 256;

/** Divides the cache of a server among the connections of its threads. */
export function divideCache(totalMb: number): { main: CacheSizes; deliveries: CacheSizes } {
  const share = (percent: number) => Math.floor((totalMb * 1_024 * percent) / 100);
  return {
    main: {
      writerKibibytes: share(SHARES.mainWriter),
      readerKibibytes: share(SHARES.mainReader),
      reportsKibibytes: share(SHARES.reports),
    },
    deliveries: {
      writerKibibytes: share(SHARES.deliveryWriter),
      readerKibibytes: UNUSED_KIBIBYTES,
      reportsKibibytes: UNUSED_KIBIBYTES,
    },
  };
}
