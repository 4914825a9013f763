import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../../src/accounts/accounts.ts';
import type { AccountId, ClickId, LinkId, PartnerId, ProgramId } from '../../src/core/ids.ts';
import type { Period } from '../../src/core/time.ts';
import { ServiceError } from '../../src/errors.ts';
import { recordClick } from '../../src/links/click.ts';
import { changeLink, createLink, getLink, listLinks } from '../../src/links/links.ts';
import { linkInput } from '../../src/links/schemas.ts';
import { trackLead } from '../../src/payments/lead.ts';
import { leadInput } from '../../src/payments/resources/customer-schemas.ts';
import { saleInput } from '../../src/payments/resources/sale-schemas.ts';
import { trackSale } from '../../src/payments/sale.ts';
import { createPartner } from '../../src/programs/partners.ts';
import { createProgram } from '../../src/programs/programs.ts';
import { partnerInput, programInput } from '../../src/programs/schemas.ts';
import { findStatistics } from '../../src/results/statistics.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, disputed, hints, received, referenced, refunded, refundUndone } from '../helpers/facts.ts';
import { asId } from '../helpers/ids.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import {
  amountsOf,
  currencyOfPayment,
  PARTNER_OF_LINK,
  type PaidBy,
  type PeriodEnd,
  RESULT_LINKS,
  RESULT_PARTNERS,
  type ResultStep,
  resultHistories,
} from '../helpers/result-histories.ts';
import { addUpIn, countedOf } from '../helpers/results-from-scratch.ts';
import { rounds } from '../helpers/rounds.ts';

/** Together enough for each thing that must happen in them to happen often. */
const RUNS = { sqlite: Math.max(rounds(100), 60), postgres: Math.max(rounds(30), 10) };
/** Late enough that a history begins on one day and ends on another. */
const BEGIN = Date.UTC(2026, 9, 29, 21, 30);
const NOBODY = { referrerHost: null, device: null, country: null, visitorHash: null };

interface Cast {
  accountId: AccountId;
  partners: { id: PartnerId; programId: ProgramId }[];
  links: LinkId[];
  clicks: ClickId[];
}

const NO_FILTERS = { search: null, partnerId: null, tenantId: null, programId: null, archived: null };
const ALL_LINKS = { limit: 100, cursor: 'lnk_z', ...NO_FILTERS };

/** How often something happened in the histories of both engines. */
const seen = { voided: 0, withoutLink: 0, reversed: 0, corrected: 0, moved: 0 };

describe.each(engines)('results after any history on %s', (engine) => {
  let app: TestApp;
  let now = BEGIN;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => now } });
  });
  afterAll(() => app.close());

  it('match, in any period, the sums of clicks, leads and sales', async () => {
    await fc.assert(
      fc.asyncProperty(resultHistories, async ({ steps, periods }) => {
        now = BEGIN;
        const cast = await begin();
        const times = [now];
        for (const step of steps) {
          await perform(cast, step);
          times.push(now);
        }
        const rows = await countedOf(app.service.database, cast.accountId);
        for (const ends of periods) {
          const period = periodOf(ends, times);
          const { data } = await listLinks(app.service, cast.accountId, { ...ALL_LINKS, ...period });
          for (const link of data) {
            const ofLink = rows.filter(({ linkId }) => linkId === link.id);
            const expected = addUpIn(ofLink, period);
            const { clicks, leads, sales, revenue, earnedCommission } = link;
            expect({ clicks, leads, sales, revenue, earnedCommission }).toEqual(expected);
            expect(await getLink(app.service, cast.accountId, link.id, period)).toEqual(link);
          }
        }
        expect(await totalOf(cast.accountId)).toEqual(addUpIn(rows, { from: null, to: null }));
        await requireAgreement(app.service, cast.accountId);
        await note(cast.accountId);
      }),
      { numRuns: RUNS[engine] },
    );
  });

  async function begin(): Promise<Cast> {
    const { accountId, programId } = await createAccount(app.service, { name: 'Example Ltd' });
    const second = await createProgram(app.service, accountId, parseInput(programInput, { name: 'Second' }));
    const partners: Cast['partners'] = [];
    for (let partner = 0; partner < RESULT_PARTNERS; partner += 1) {
      const program = partner < 2 ? programId : asId<'prg'>(second.id);
      const email = `partner${partner}@example.com`;
      const body = { name: 'Pia', email, programId: program, discountCodes: [`CODE${partner}`] };
      const { id } = await createPartner(app.service, accountId, parseInput(partnerInput, body));
      partners.push({ id: asId(id), programId: program });
    }
    const links: LinkId[] = [];
    for (let link = 0; link < RESULT_LINKS; link += 1) {
      const partnerId = partners[PARTNER_OF_LINK[link] ?? 0]?.id;
      const body = parseInput(linkInput, { partnerId, url: 'https://shop.example.com/' });
      links.push(asId((await createLink(app.service, accountId, body)).id));
    }
    return { accountId, partners, links, clicks: [] };
  }

  async function perform(cast: Cast, step: ResultStep): Promise<void> {
    const { accountId } = cast;
    const nameOf = (payment: number) => `in_${payment}`;
    switch (step.do) {
      case 'click':
        return click(cast, step.link);
      case 'lead': {
        const clickId = cast.clicks.at(-1 - step.click);
        if (clickId === undefined) return;
        const body = { clickId, customerExternalId: `user_${step.customer}`, eventName: `Event ${step.event}` };
        await trackLead(app.service, accountId, parseInput(leadInput, body));
        return;
      }
      case 'api sale': {
        const clickId = cast.clicks.at(-1 - step.click);
        if (clickId === undefined) return;
        const person = { clickId, customerExternalId: `user_${step.customer}` };
        const invoiceId = step.payment === null ? null : nameOf(step.payment);
        const body = { ...person, amount: step.amountMinor, currency: currencyOfPayment(step.payment), invoiceId };
        await trackSale(app.service, accountId, parseInput(saleInput, body)).catch(ignoreDuplicate);
        return;
      }
      case 'webhook sale': {
        const { customer, codes: discountCodes } = hintsOf(cast, step.by);
        const amounts = { ...amountsOf(step), currency: currencyOfPayment(step.payment), discountCodes };
        await applyFacts(app.service, accountId, received([nameOf(step.payment)], customer, amounts));
        return;
      }
      case 'refund': {
        const refund = { refundId: `re_${step.payment}_${step.refund}`, amountMinor: step.amountMinor };
        const fact = refunded([nameOf(step.payment)], refund, currencyOfPayment(step.payment));
        await applyFacts(app.service, accountId, fact);
        return;
      }
      case 'undone refund':
        await applyFacts(app.service, accountId, {
          ...refundUndone([nameOf(step.payment)], `re_${step.payment}_${step.refund}`, null),
          currency: currencyOfPayment(step.payment),
        });
        return;
      case 'dispute':
        await applyFacts(app.service, accountId, {
          ...disputed([nameOf(step.payment)], `dp_${step.payment}`, step.amountMinor, step.state),
          currency: currencyOfPayment(step.payment),
        });
        return;
      case 'join':
        await applyFacts(app.service, accountId, referenced(nameOf(step.payment), nameOf(step.other)));
        return;
      case 'hand over':
        return handOver(cast, step);
      case 'pass':
        now += step.ms;
    }
  }

  async function click({ accountId, links, clicks }: Cast, link: number): Promise<void> {
    const linkId = asId<'lnk'>(links[link] ?? '');
    const { partnerId, programId } = await getLink(app.service, accountId, linkId, { from: null, to: null });
    const target = { id: linkId, accountId, partnerId: asId<'ptr'>(partnerId), programId: asId<'prg'>(programId) };
    clicks.push(await recordClick(app.service, target, NOBODY));
  }

  async function handOver({ accountId, links, partners }: Cast, { link, partner }: { link: number; partner: number }) {
    const change = changeLink(app.service, accountId, links[link] ?? '', { partnerId: partners[partner]?.id ?? '' });
    await change.then(
      () => {
        seen.moved += 1;
      },
      (error) => {
        // the last link belongs to the other program
        expect(error).toMatchObject({ code: 'VALIDATION_ERROR' });
      },
    );
  }

  function hintsOf({ clicks }: Cast, by: PaidBy) {
    if ('discountCode' in by) return { customer: hints({}), codes: [`CODE${by.discountCode}`] };
    if ('customer' in by) return { customer: hints({ externalId: `user_${by.customer}` }), codes: [] };
    const clickId = clicks.at(-1 - by.click);
    return { customer: hints(clickId === undefined ? {} : { clickId }), codes: [] };
  }

  /** The account's statistics of all time. */
  async function totalOf(accountId: AccountId) {
    const nothing = { from: null, to: null, programId: null, partnerId: null, linkId: null };
    const months = await findStatistics(app.service, accountId, { interval: 'month', ...nothing });
    const total = addUpIn([], nothing);
    for (const { clicks, leads, sales, revenue, earnedCommission } of months) {
      total.clicks += clicks;
      total.leads += leads;
      total.sales += sales;
      for (const [currency, amount] of Object.entries(revenue)) {
        total.revenue[currency] = (total.revenue[currency] ?? 0) + amount;
        total.earnedCommission[currency] =
          (total.earnedCommission[currency] ?? 0) + (earnedCommission[currency] ?? Number.NaN);
      }
    }
    return total;
  }

  async function note(accountId: AccountId): Promise<void> {
    const counts = await app.service.database.read((tx) =>
      tx.get<Omit<typeof seen, 'moved'>>(
        `SELECT COUNT(s.voided_reason) AS voided, COUNT(*) - COUNT(s.link_id) AS "withoutLink",
           (SELECT COUNT(*) FROM ledger_entries e WHERE e.account_id = @accountId AND e.kind = 'reversal') AS reversed,
           (SELECT COUNT(*) FROM ledger_entries e WHERE e.account_id = @accountId AND e.kind = 'adjustment') AS corrected
         FROM sales s WHERE s.account_id = @accountId`,
        { accountId },
      ),
    );
    seen.voided += counts?.voided ?? 0;
    seen.withoutLink += counts?.withoutLink ?? 0;
    seen.reversed += counts?.reversed ?? 0;
    seen.corrected += counts?.corrected ?? 0;
  }
});

it('the histories contain everything that moves results', () => {
  expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(0);
});

function periodOf([one, other]: readonly [PeriodEnd, PeriodEnd], times: readonly number[]): Period {
  const timeOf = (end: PeriodEnd) => {
    if (end === null) return null;
    const time = (times[end.step % times.length] ?? BEGIN) + end.offsetMs;
    return Math.floor(time / end.unitMs) * end.unitMs;
  };
  const [a, b] = [timeOf(one), timeOf(other)];
  if (a === null || b === null) return { from: a, to: b };
  return a === b ? { from: a, to: a + 1 } : { from: Math.min(a, b), to: Math.max(a, b) };
}

function ignoreDuplicate(error: unknown): void {
  if (!(error instanceof ServiceError) || error.code !== 'DUPLICATE_INVOICE') throw error;
}
