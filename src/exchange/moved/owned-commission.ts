import { availableAt } from '../../core/commission.ts';
import type { PartnerId, ProgramId } from '../../core/ids.ts';
import { getProgram } from '../../programs/programs.ts';
import type { MovedCommission } from './facts.ts';
import { keptPartnerOf } from './people.ts';
import type { MovedTarget } from './target.ts';

/** A commission with its owner here. */
export interface OwnedCommission extends MovedCommission {
  owner: { partnerId: PartnerId; programId: ProgramId };
  dueAt: number;
  /** Such as `Rewardful, commission 39e6`. */
  origin: string;
}

/** Finds the owner. @throws ServiceError when the partner is not here */
export async function withOwner(target: MovedTarget, commission: MovedCommission): Promise<OwnedCommission> {
  const { service, accountId, source } = target;
  const { id: partnerId, programId } = await keptPartnerOf(target, commission.partnerId);
  const { holdDays } = await getProgram(service, accountId, programId);
  const { occurredAt } = commission;
  // what is taken back is deducted from the next payout
  const dueAt = commission.dueAt ?? (commission.amountMinor < 0 ? occurredAt : availableAt(occurredAt, holdDays));
  const origin = `${source.title}, commission ${commission.id}`;
  return { ...commission, owner: { partnerId, programId }, dueAt, origin };
}
