import type { Service } from './app/service.ts';
import { loadAdaptersInUse } from './deliveries/adapters-in-use.ts';
import { retryDueDeliveries } from './deliveries/retry.ts';
import { noteSalesOnHold } from './events/approvals.ts';
import { endSilentListeners } from './events/listeners.ts';
import { deleteOldEvents } from './events/retention.ts';
import { eraseFromEndedImports } from './exchange/jobs/erase.ts';
import { eraseMentions } from './inbox/erase-bodies.ts';
import { deleteOldBodies } from './inbox/retention.ts';
import { deleteOldSalts } from './links/visitor-hash.ts';
import { recordApprovals } from './payments/approved.ts';
import { attributeDuePayments } from './payments/attribute-due.ts';
import { eraseMentionedIdentities } from './payments/erasure/erase-identities.ts';
import { eraseRemaining } from './payments/erasure/erase-rest.ts';
import { runScheduledPayouts } from './payouts/schedule.ts';
import { finishSettling } from './payouts/settle.ts';
import { continueTransfers } from './payouts/transfers/work.ts';
import { eraseFromEvents } from './privacy/events.ts';
import type { Job } from './process/background.ts';
import type { Config } from './process/config.ts';
import { deleteOldItems } from './reconciliation/retention.ts';
import { continueReconciliations } from './reconciliation/work.ts';

const RETRY_PAUSE_MS = 2_000;
const LOAD_PAUSE_MS = 3_000;
const RETENTION_PAUSE_MS = 3_600_000;
const ERASURE_PAUSE_MS = 30_000;
const SCHEDULE_PAUSE_MS = 60_000;
const APPROVAL_PAUSE_MS = 1_000;
const ATTRIBUTION_PAUSE_MS = 1_000;
const SETTLE_PAUSE_MS = 1_000;
const RECONCILE_PAUSE_MS = 1_000;
const TRANSFER_PAUSE_MS = 1_000;
/** Short, because shutdown waits for it. */
const SETTLE_WORK_MS_MAX = 1_000;

/** The recurring background work of the server. */
export function jobsOf(service: Service, { payoutSchedule }: Config): Job[] {
  const scheduled =
    payoutSchedule === 'off'
      ? []
      : [{ name: 'payouts', pauseMs: SCHEDULE_PAUSE_MS, run: () => runScheduledPayouts(service, payoutSchedule) }];
  return [
    ...scheduled,
    {
      name: 'settle payouts',
      pauseMs: SETTLE_PAUSE_MS,
      run: () => finishSettling(service, null, SETTLE_WORK_MS_MAX),
    },
    { name: 'send payouts', pauseMs: TRANSFER_PAUSE_MS, run: () => continueTransfers(service) },
    // for endpoints that a command, or another process, has created: otherwise the first delivery would wait for them
    { name: 'load packages', pauseMs: LOAD_PAUSE_MS, run: () => loadAdaptersInUse(service) },
    { name: 'attribute payments', pauseMs: ATTRIBUTION_PAUSE_MS, run: () => attributeDuePayments(service) },
    { name: 'retry deliveries', pauseMs: RETRY_PAUSE_MS, run: () => retryDueDeliveries(service) },
    { name: 'reconcile', pauseMs: RECONCILE_PAUSE_MS, run: () => continueReconciliations(service) },
    { name: 'delete old reconciliation items', pauseMs: RETENTION_PAUSE_MS, run: () => deleteOldItems(service) },
    { name: 'delete old bodies', pauseMs: RETENTION_PAUSE_MS, run: () => deleteOldBodies(service) },
    { name: 'erase bodies', pauseMs: ERASURE_PAUSE_MS, run: () => eraseMentions(service) },
    { name: 'erase persons in events', pauseMs: ERASURE_PAUSE_MS, run: () => eraseFromEvents(service) },
    { name: 'erase persons in imports', pauseMs: ERASURE_PAUSE_MS, run: () => eraseFromEndedImports(service) },
    { name: 'erase the rest', pauseMs: ERASURE_PAUSE_MS, run: () => eraseRemaining(service) },
    { name: 'erase identities', pauseMs: ERASURE_PAUSE_MS, run: () => eraseMentionedIdentities(service) },
    { name: 'delete old events', pauseMs: RETENTION_PAUSE_MS, run: () => deleteOldEvents(service) },
    { name: 'end silent listeners', pauseMs: SCHEDULE_PAUSE_MS, run: () => endSilentListeners(service) },
    { name: 'note sales on hold', pauseMs: APPROVAL_PAUSE_MS, run: () => noteSalesOnHold(service) },
    { name: 'record approved sales', pauseMs: APPROVAL_PAUSE_MS, run: () => recordApprovals(service) },
    { name: 'delete old salts', pauseMs: RETENTION_PAUSE_MS, run: () => deleteOldSalts(service) },
  ];
}
