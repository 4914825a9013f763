import type { Logger } from 'pino';

/** Logs where lists and reports are read from, whenever that changes. */
export function logReplica(log: Logger): (reason: string | null) => void {
  return (reason) => {
    if (reason === null) log.info('lists and reports are read from the replica');
    else log.warn({ reason }, 'lists and reports are read from the primary, because the replica cannot be used');
  };
}
