import type { Service } from '../../../app/service.ts';
import type { AccountId } from '../../../core/ids.ts';
import { DAY_MS, HOUR_MS, isoDate } from '../../../core/time.ts';
import { addClicks, type CountedClick } from '../../../links/click-batch.ts';
import { runPayouts } from '../../../payouts/run.ts';
import { settlePayout } from '../../../payouts/states.ts';
import { changeProgram } from '../../../programs/programs.ts';
import { createChance } from '../../random.ts';
import { enrollWithLink, type FurnishedStage } from '../furnish.ts';
import { COUNTRIES, DEVICES, HISTORY_PARTNERS, type HistoryPartner, REFERRERS, STORY_HISTORY } from './cast.ts';
import { createHappen } from './happen.ts';
import { serviceAt } from './past.ts';
import { HISTORY_DAYS, type HistoryPlan, type PlannedVisit, planHistory } from './plan.ts';
import { writeStrangers } from './strangers.ts';

/** Units of work that wait for one commit span at most this much time. */
const SLICE_MS = 10 * DAY_MS;
const PAYOUT_RUN_HOUR = 9;
const BANK_MS = 2 * DAY_MS;
const CLICKS_PER_UNIT = 1_000;
const ACTOR = { kind: 'schedule' } as const;

/** When the history begins (epoch milliseconds). */
export function historyStart(now: number): number {
  return now - (HISTORY_DAYS + 1) * DAY_MS;
}

/**
 * Writes a year of business until `now` through the use cases, whose clock moves through that year: about 5,000 sales,
 * with visits, sign-ups, refunds, disputes, monthly payouts, and some items that need attention. Call it only in a
 * process that does nothing else meanwhile, and only on SQLite, which runs units of work one by one.
 */
export async function writeHistory(service: Service, stage: FurnishedStage, now: number): Promise<void> {
  const { accountId, programId } = stage;
  let from = historyStart(now);
  await changeProgram(serviceAt(service, from), accountId, programId, { selfReferral: 'flag' });
  const plan = planHistory(await enrollEverybody(service, stage, from), now);
  for (const to of sliceEnds(from, now)) {
    await writeSlice(service, stage, sliceOf(plan, from, to));
    if (isPayday(to)) await payPartners(service, accountId, { at: to, now });
    from = to;
  }
  await writeStrangers(service, stage, now);
}

/** Adds the partners who are not part of the story. Returns all partners. */
async function enrollEverybody(service: Service, stage: FurnishedStage, startsAt: number): Promise<HistoryPartner[]> {
  for (const { key, name, email, commission, joinsOnDay } of HISTORY_PARTNERS) {
    const past = serviceAt(service, startsAt + joinsOnDay * DAY_MS);
    stage.links.set(key, await enrollWithLink(past, stage, { key, name, email, ...(commission && { commission }) }));
  }
  const ofStory = Object.entries(STORY_HISTORY).map(([key, numbers]) => {
    return { key, name: key, email: `${key}@example.com`, ...numbers };
  });
  return [...ofStory, ...HISTORY_PARTNERS];
}

/** Ends on every payday, and otherwise after `SLICE_MS`. */
function* sliceEnds(startsAt: number, now: number): Generator<number> {
  let end = startsAt;
  while (end <= now) {
    end = Math.min(end + SLICE_MS, nextPayday(end));
    yield end;
  }
}

/** The first of the next month, in the morning. */
function nextPayday(time: number): number {
  const date = new Date(time);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const first = Date.UTC(year, month, 1, PAYOUT_RUN_HOUR);
  return first > time ? first : Date.UTC(year, month + 1, 1, PAYOUT_RUN_HOUR);
}

function isPayday(time: number): boolean {
  return time === nextPayday(time - HOUR_MS);
}

function sliceOf({ visits, happenings }: HistoryPlan, from: number, to: number): HistoryPlan {
  const isWithin = ({ at }: { at: number }) => at >= from && at < to;
  return { visits: visits.filter(isWithin), happenings: happenings.filter(isWithin) };
}

async function writeSlice(service: Service, stage: FurnishedStage, slice: HistoryPlan): Promise<void> {
  const clicks = slice.visits.map((visit) => clickOf(stage, visit));
  for (let first = 0; first < clicks.length; first += CLICKS_PER_UNIT) {
    const some = clicks.slice(first, first + CLICKS_PER_UNIT);
    await serviceAt(service, some[0]?.createdAt ?? 0).database.write((tx) => addClicks(tx, some));
  }
  const happen = await createHappen(service, stage);
  await Promise.all(slice.happenings.map(happen));
}

function clickOf({ links }: FurnishedStage, { at, clickId, key }: PlannedVisit): CountedClick {
  const link = links.get(key);
  if (link === undefined) throw new Error(`There is no link ${key}`);
  const chance = createChance(at);
  return {
    ...link,
    id: clickId,
    referrerHost: chance.pick(REFERRERS),
    device: chance.pick(DEVICES),
    country: chance.pick(COUNTRIES),
    visitorHash: null,
    createdAt: at,
  };
}

/**
 * The payout run of a month. Payouts of the latest run are under way; earlier ones were paid, except for one that was
 * returned.
 */
async function payPartners(
  service: Service,
  accountId: AccountId,
  { at, now }: { at: number; now: number },
): Promise<void> {
  const paidAt = at + BANK_MS;
  if (paidAt > now) return;
  const { data } = await runPayouts(serviceAt(service, at), accountId, { at: null, dryRun: false }, { actor: ACTOR });
  // so that some of each currency are under way
  const payouts = data.toSorted((one, other) => one.currency.localeCompare(other.currency));
  const isLatest = nextPayday(at) + BANK_MS > now;
  const past = serviceAt(service, paidAt);
  const settle = ({ id }: { id: string }, index: number) => {
    if (isLatest && index % 4 === 0) return null;
    const failed = isLatest && index === 1;
    return settlePayout(past, accountId, id, {
      status: failed ? 'failed' : 'paid',
      note: failed ? 'The bank returned it: account closed' : `Bank transfer ${isoDate(paidAt)}`,
      actor: ACTOR,
    });
  };
  await Promise.all(payouts.map(settle));
}
