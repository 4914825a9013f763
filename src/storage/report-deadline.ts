import { ServiceError } from '../errors.ts';

/** For a report whose caller sets no deadline. */
export const REPORT_DEADLINE_MS = 4_000;
/** The same request would most likely take as long again. */
const RETRY_AFTER_SECONDS = 10;

let stoppedCount = 0;

/** The number of reports that this process has stopped at their deadline, or refused because no connection was free. */
export function stoppedReports(): number {
  return stoppedCount;
}

/** The error of a report that was stopped at its deadline. */
export function reportTooSlow(deadlineMs: number): ServiceError {
  stoppedCount += 1;
  const message = `The report took longer than ${deadlineMs / 1_000} s and was stopped. Ask for less: a shorter period, a smaller limit or a filter`;
  return new ServiceError('UNAVAILABLE', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/** The error of a report that got no connection. */
export function noReportConnection(): ServiceError {
  stoppedCount += 1;
  const message =
    'No database connection was free for this report: others run, or the database has stopped answering. ' +
    'Try again in a few seconds';
  return new ServiceError('UNAVAILABLE', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/**
 * Runs `work` and rejects at the deadline, even if `work` continues.
 *
 * @param stop called with the reason when `work` must run no further queries: at the deadline, and when it has ended
 * @throws ServiceError `UNAVAILABLE` at the deadline; otherwise whatever `work` throws
 */
export async function withDeadline<T>(
  deadlineMs: number,
  work: () => Promise<T>,
  stop: (reason: Error) => void,
): Promise<T> {
  const overdue = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = reportTooSlow(deadlineMs);
    stop(error);
    overdue.reject(error);
  }, deadlineMs);
  try {
    return await Promise.race([work(), overdue.promise]);
  } finally {
    clearTimeout(timer);
    stop(new Error('This report has ended'));
  }
}
