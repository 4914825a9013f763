import { setImmediate as turn } from 'node:timers/promises';
import { z } from 'zod';
import { claimKeys } from '../app/claims.ts';
import { optional, parseInput, withDefault } from '../app/fields.ts';
import type { Service } from '../app/service.ts';
import { timeField } from '../app/time-field.ts';
import { isWorthPaying } from '../core/payout.ts';
import { isoTime } from '../core/time.ts';
import type { Transaction } from '../storage/database.ts';
import {
  assignDue,
  findPayoutOwner,
  findQueuedPayouts,
  type PayoutSum,
  type QueuedPayoutRow,
  startPayout,
  sumAssigned,
  sumDue,
  unassign,
} from './queries/payouts.ts';
import { queuePayout } from './queue.ts';

const runInput = z.object({ at: optional(timeField), dryRun: withDefault(z.boolean(), false) });

/** How many queued payouts are looked at between two turns of the event loop. */
const PAGE_SIZE = 50;
/** Units that share a commit: few enough that requests beside them do not wait. */
const GROUP_PAYOUTS_MAX = 32;
const GROUP_ENTRIES_MAX = 2_000;
/** A run may start any number; so many it names in its answer. */
const NAMED_MAX = 1_000;

/** A payout that the run started, or, on a dry run, would start. Minor units. */
export interface RunPayout {
  id: string;
  programId: string;
  partnerId: string;
  currency: string;
  amount: number;
  entryCount: number;
}

export interface PayoutRun {
  /** ISO 8601: holds that were over then are paid. */
  at: string;
  dryRun: boolean;
  payoutCount: number;
  entryCount: number;
  /** By currency. */
  totals: { currency: string; payoutCount: number; entryCount: number; amount: number }[];
  /** The first 1,000; all are in the list of payouts. */
  data: RunPayout[];
}

/** Who started a run, and who wants to hear how far it is. */
export interface RunOptions {
  by: string;
  onProgress?: (soFar: { payoutCount: number; entryCount: number }) => void;
}

interface Candidate extends QueuedPayoutRow, PayoutSum {
  minimumMinor: number | undefined;
}

/**
 * Starts every payout of the account whose entries past their hold come to more than nothing and to the program's
 * minimum: it is `processing` then, with these entries and a fixed amount, and the partner's next one is queued. Each is
 * a unit of work of its own; starting two runs at once, or one again, pays nothing twice.
 *
 * @param body `{at?, dryRun?}`: by when a hold must be over (default now), and whether to only say what would be paid
 * @throws ServiceError `VALIDATION_ERROR`; `UNAVAILABLE`, after which another run does what is left
 */
export async function runPayouts(
  service: Service,
  accountId: string,
  body: unknown,
  { by, onProgress = () => {} }: RunOptions,
): Promise<PayoutRun> {
  const { at: given, dryRun } = parseInput(runInput, body);
  const at = given ?? service.clock();
  const tally = new Tally(at, dryRun);
  for await (const group of groupsOf(candidatesOf(service, accountId, at))) {
    const start = (candidate: Candidate) =>
      service.database.write((tx) => collect(tx, accountId, candidate, { at, by, now: service.clock() }));
    tally.add(dryRun ? group.map(asRunPayout) : await Promise.all(group.map(start)));
    onProgress(tally.run);
  }
  return tally.run;
}

async function* candidatesOf(service: Service, accountId: string, at: number): AsyncGenerator<Candidate> {
  for (let afterId = ''; ; ) {
    const candidates = await service.database.read(async (tx) => {
      const rows = await findQueuedPayouts(tx, accountId, afterId, PAGE_SIZE);
      const found: Candidate[] = [];
      for (const row of rows)
        found.push({ ...row, ...minimumOf(row), ...(await sumDue(tx, row.partnerId, row.currency, at)) });
      return found;
    });
    const last = candidates.at(-1);
    if (last === undefined) return;
    afterId = last.id;
    yield* candidates.filter(({ amount, minimumMinor }) => isWorthPaying(amount, minimumMinor));
    await turn();
  }
}

async function* groupsOf(candidates: AsyncIterable<Candidate>): AsyncGenerator<Candidate[]> {
  let group: Candidate[] = [];
  let entries = 0;
  for await (const candidate of candidates) {
    const isFull = group.length === GROUP_PAYOUTS_MAX || entries + candidate.entryCount > GROUP_ENTRIES_MAX;
    if (group.length > 0 && isFull) {
      yield group;
      [group, entries] = [[], 0];
    }
    group.push(candidate);
    entries += candidate.entryCount;
  }
  if (group.length > 0) yield group;
}

/** Null where another run was first, or a refund came in between. */
async function collect(
  tx: Transaction,
  accountId: string,
  candidate: Candidate,
  { at, by, now }: { at: number; by: string; now: number },
): Promise<RunPayout | null> {
  const { id, programId, partnerId, currency, minimumMinor } = candidate;
  await tx.claim(() => [claimKeys.payout(partnerId, currency)]);
  if ((await findPayoutOwner(tx, accountId, id))?.status !== 'queued') return null;
  await assignDue(tx, candidate, at);
  const sum = await sumAssigned(tx, accountId, id);
  if (!isWorthPaying(sum.amount, minimumMinor)) {
    await unassign(tx, id);
    return null;
  }
  const started = await startPayout(tx, { id, ...sum, processingAt: now, processingBy: by });
  if (started !== 1) throw new Error(`Payout ${id} was claimed, was queued, and is not`);
  // always one queued: a sale under way elsewhere may rest on the one that has just been started
  await queuePayout(tx, { accountId, programId, partnerId, currency, createdAt: now });
  return asRunPayout({ ...candidate, ...sum });
}

class Tally {
  readonly run: PayoutRun;

  constructor(at: number, dryRun: boolean) {
    this.run = { at: isoTime(at), dryRun, payoutCount: 0, entryCount: 0, totals: [], data: [] };
  }

  add(payouts: readonly (RunPayout | null)[]): void {
    for (const payout of payouts) {
      if (payout === null) continue;
      const { currency, amount, entryCount } = payout;
      this.run.payoutCount += 1;
      this.run.entryCount += entryCount;
      const total = this.#totalOf(currency);
      total.payoutCount += 1;
      total.entryCount += entryCount;
      total.amount += amount;
      if (this.run.data.length < NAMED_MAX) this.run.data.push(payout);
    }
  }

  #totalOf(currency: string): PayoutRun['totals'][number] {
    const known = this.run.totals.find((total) => total.currency === currency);
    if (known) return known;
    const total = { currency, payoutCount: 0, entryCount: 0, amount: 0 };
    this.run.totals.push(total);
    return total;
  }
}

function minimumOf({ minimumPayout, currency }: QueuedPayoutRow): { minimumMinor: number | undefined } {
  return { minimumMinor: (JSON.parse(minimumPayout) as Record<string, number>)[currency] };
}

function asRunPayout({ id, programId, partnerId, currency, amount, entryCount }: RunPayout): RunPayout {
  return { id, programId, partnerId, currency, amount, entryCount };
}
