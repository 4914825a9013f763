import { createAccount } from '../../src/accounts/accounts.ts';
import type { Service } from '../../src/app/service.ts';
import type { Actor } from '../../src/core/actor.ts';
import type { Fact } from '../../src/core/facts.ts';
import type { AccountId, ProgramId } from '../../src/core/ids.ts';
import type { Commission } from '../../src/core/terms.ts';
import { adjust } from '../../src/ledger/adjustments.ts';
import { listSales } from '../../src/payments/lists/list-sales.ts';
import { saleListQuery } from '../../src/payments/resources/sale-schemas.ts';
import { reviewSale } from '../../src/payments/review-sale.ts';
import { createPartner } from '../../src/programs/partners.ts';
import { changeProgram } from '../../src/programs/programs.ts';
import { partnerInput } from '../../src/programs/schemas.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { applyFacts, hints } from './facts.ts';
import { currencyOf, type History, PARTNERS, type Step } from './histories.ts';
import { partnerEmail } from './money-model.ts';
import { linesOf, PAID_LINES, reportedAt } from './reported.ts';

const ACTOR: Actor = { kind: 'command_line' };

/** An account that receives a history. */
export interface Told {
  accountId: AccountId;
  programId: ProgramId;
  partnerIds: string[];
}

/** A new account with the partners of a history. */
export async function beginHistory(
  service: Service,
  { minimumPayout, selfReferral }: Pick<History, 'minimumPayout' | 'selfReferral'>,
): Promise<Told> {
  const { accountId, programId } = await createAccount(service, { name: 'Example Ltd' });
  await changeProgram(service, accountId, programId, { minimumPayout, selfReferral });
  const partnerIds: string[] = [];
  for (let partner = 0; partner < PARTNERS; partner += 1) {
    const body = { name: `Partner ${partner}`, email: partnerEmail(partner), discountCodes: [`CODE${partner}`] };
    partnerIds.push((await createPartner(service, accountId, parseInput(partnerInput, body))).id);
  }
  return { accountId, programId, partnerIds };
}

/** A step about money that is earned or reversed; the caller handles payouts and time. */
export type MoneyStep = Exclude<Step, { do: 'pass' | 'run' | 'hold' | 'end' }>;

export async function tellStep(
  service: Service,
  { accountId, programId, partnerIds }: Told,
  step: MoneyStep,
): Promise<void> {
  switch (step.do) {
    case 'adjustment': {
      const { partner, amountMinor: amount, currency } = step;
      await adjust(service, accountId, { partnerId: partnerIds[partner] ?? '', amount, currency, reason: 'Test' });
      return;
    }
    case 'terms': {
      const { commission, holdDays, amountBasis } = step;
      await changeProgram(service, accountId, programId, { commission: asPatch(commission), holdDays, amountBasis });
      return;
    }
    case 'review': {
      const query = parseInput(saleListQuery, { invoiceId: nameOf(step.sale) });
      const saleId = (await listSales(service, accountId, query)).data[0]?.id ?? '';
      await reviewSale(service, { accountId, saleId, decision: step.decision, reason: null, actor: ACTOR });
      return;
    }
    default:
      await applyFacts(service, accountId, factOf(step, service.clock()));
  }
}

function factOf(step: Extract<MoneyStep, { sale: number }>, now: number): Fact {
  const references = [nameOf(step.sale)];
  const occurredAt = 'late' in step ? reportedAt(step, now) : now;
  const said = { references, currency: currencyOf(step.sale), occurredAt };
  switch (step.do) {
    case 'sale': {
      const grossMinor = step.netMinor + step.taxMinor;
      return {
        ...said,
        kind: 'payment.received',
        invoiceId: nameOf(step.sale),
        ...(step.isBare
          ? { grossMinor, netMinor: grossMinor, taxMinor: 0, isBare: true }
          : { grossMinor, netMinor: step.netMinor, taxMinor: step.taxMinor }),
        shippingMinor: 0,
        presentment: null,
        ...(step.isLined ? { lines: PAID_LINES } : {}),
        recurring: false,
        customer: hints({ email: step.bySelf ? partnerEmail(step.partner) : null }),
        discountCodes: [`CODE${step.partner}`],
      };
    }
    case 'refund': {
      const { amountMinor, commissionableMinor } = step;
      const part = commissionableMinor === null ? {} : { commissionableMinor };
      const refund = { refundId: `re_${step.sale}_${step.refund}`, amountMinor, ...part, lines: linesOf(step) };
      return { ...said, kind: 'payment.refunded', refund };
    }
    case 'cumulative refund':
      return { ...said, kind: 'payment.refunded', refund: { cumulativeAmountMinor: step.amountMinor } };
    case 'failed refund': {
      const refundId = `re_${step.sale}_${step.refund}`;
      return { ...said, kind: 'payment.refund_undone', refundId, amountMinor: step.amountMinor };
    }
    case 'dispute': {
      const { amountMinor, state } = step;
      return { ...said, kind: 'payment.disputed', disputeId: `dp_${step.sale}_${step.dispute}`, amountMinor, state };
    }
    case 'review':
      throw new Error('A decision is no fact');
  }
}

/** In a merge patch, a missing amount stays, and null removes one. */
function asPatch(commission: Commission): object {
  if (commission.type === 'percentage') return commission;
  return { ...commission, amounts: { usd: null, jpy: null, kwd: null, ...commission.amounts } };
}

/** The invoice of a sale. */
export const nameOf = (sale: number): string => `in_${sale}`;
