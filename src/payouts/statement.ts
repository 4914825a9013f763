import { fileReply } from '../app/file-reply.ts';
import { RawReply } from '../app/route.ts';
import type { Service } from '../app/service.ts';
import { CSV_TYPE } from '../core/csv.ts';
import { statementCsv } from './statement-csv.ts';
import { openStatement, type StatementOf } from './statement-lines.ts';
import { STATEMENT_HEADERS, statementPage } from './statement-page.ts';

/**
 * The statement of a payout to a partner, as a file or as a page to print. It contains nothing that the partner may not
 * see: customers are masked, and only adjustments show their reason.
 *
 * @throws ServiceError `NOT_FOUND`; `INVALID_STATE` for a payout that is neither under way nor paid
 */
export async function answerStatement(service: Service, of: StatementOf, format: 'html' | 'csv'): Promise<RawReply> {
  const statement = await openStatement(service, of);
  if (format === 'html') return new RawReply(200, STATEMENT_HEADERS, statementPage(statement));
  return fileReply(CSV_TYPE, `statement-${statement.head.id}.csv`, statementCsv(statement));
}
