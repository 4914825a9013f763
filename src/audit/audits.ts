import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { NumberOutOfRange } from '../errors.ts';
import type { Disagreement } from './disagreement.ts';
import { type AuditProgress, checkPartnersOf, checkSalesOf } from './ledger.ts';
import { countSales } from './queries/ledger.ts';
import { checkResults, type ResultsProgress, type WrongResult } from './results.ts';

/** The checks of one account that read whole tables; they do not depend on each other. */
export const AUDITS = ['sales', 'partners', 'results'] as const;
export type Audit = (typeof AUDITS)[number];

/** How many differences an audit found, and the first of them as a sentence; null without one. */
export interface AuditFindings {
  count: number;
  first: string | null;
}

export type OnAudit = (progress: AuditProgress | (ResultsProgress & { total: null })) => void;

/** Whether the account has at least so many sales. */
export async function hasSales({ database }: Pick<Service, 'database'>, accountId: AccountId, min: number) {
  return (await database.report((tx) => countSales(tx, accountId))) >= min;
}

/** @param onProgress called after some thousand rows each; with it, sales and partners are counted beforehand */
export async function runAudit(
  service: Pick<Service, 'database'>,
  accountId: AccountId,
  audit: Audit,
  onProgress?: OnAudit,
): Promise<AuditFindings> {
  let count = 0;
  let first: string | null = null;
  try {
    for await (const { kind, id, message } of differences(service, accountId, audit, onProgress)) {
      count += 1;
      first ??= `${kind} ${id}: ${message}`;
    }
  } catch (error) {
    if (!(error instanceof NumberOutOfRange)) throw error;
    count += 1;
    first ??= `account ${accountId}: the check of ${audit} ended early. ${error.message}`;
  }
  return { count, first };
}

function differences(
  service: Pick<Service, 'database'>,
  accountId: AccountId,
  audit: Audit,
  onProgress?: OnAudit,
): AsyncGenerator<Disagreement | WrongResult> {
  if (audit === 'sales') return checkSalesOf(service, accountId, onProgress);
  if (audit === 'partners') return checkPartnersOf(service, accountId, onProgress);
  return checkResults(service, accountId, (progress) => onProgress?.({ ...progress, total: null }));
}
