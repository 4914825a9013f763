import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { NumberOutOfRange } from '../errors.ts';
import type { Disagreement } from './disagreement.ts';
import { type AuditProgress, checkPartnersOf, checkSalesOf } from './ledger.ts';
import { checkResults, type ResultsProgress, type WrongResult } from './results.ts';
import type { SalesPart } from './sales-parts.ts';

/** The checks of one account that read whole tables; they do not depend on each other. */
export const AUDITS = ['sales', 'partners', 'results'] as const;
export type Audit = (typeof AUDITS)[number];

/** How many differences an audit found, and the first of them as a sentence; null without one. */
export interface AuditFindings {
  count: number;
  first: string | null;
}

export type OnAudit = (progress: AuditProgress | (ResultsProgress & { total: null })) => void;

/** One audit of an account; `part` limits the audit of sales to some of them. */
export interface AuditTask {
  accountId: AccountId;
  audit: Audit;
  part?: SalesPart;
}

/** Runs one whole audit of an account. */
export function runAudit(service: Pick<Service, 'database'>, accountId: AccountId, audit: Audit) {
  return runAuditTask(service, { accountId, audit });
}

/** @param onProgress called every few thousand rows; if given, what its `total` names is counted first */
export async function runAuditTask(
  service: Pick<Service, 'database'>,
  task: AuditTask,
  onProgress?: OnAudit,
): Promise<AuditFindings> {
  let count = 0;
  let first: string | null = null;
  try {
    for await (const { kind, id, message } of differences(service, task, onProgress)) {
      count += 1;
      first ??= `${kind} ${id}: ${message}`;
    }
  } catch (error) {
    // a SyntaxError is of a stored text that is no longer JSON
    if (!(error instanceof NumberOutOfRange || error instanceof SyntaxError)) throw error;
    count += 1;
    first ??= `account ${task.accountId}: the check of ${task.audit} ended early. ${error.message}`;
  }
  return { count, first };
}

function differences(
  service: Pick<Service, 'database'>,
  task: AuditTask,
  onProgress?: OnAudit,
): AsyncGenerator<Disagreement | WrongResult> {
  const { accountId, audit, part } = task;
  if (audit === 'sales') return checkSalesOf(service, accountId, onProgress, part);
  if (audit === 'partners') return checkPartnersOf(service, accountId, onProgress);
  return checkResults(service, accountId, (progress) => onProgress?.({ ...progress, total: null }));
}
