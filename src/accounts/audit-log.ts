import { inOrder } from '../app/in-order.ts';
import { collectChanges, type NotedChange } from '../app/noted-changes.ts';
import { type Page, pageOf } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import { type AuditedActor, actorKind, actorName } from '../core/actor.ts';
import type { AccountId } from '../core/ids.ts';
import { isoTime } from '../core/time.ts';
import { excerpt } from '../errors.ts';
import { createId, idsFrom } from '../ids.ts';
import { requirePeriod } from '../schema/period-fields.ts';
import type { Transaction, Unit, WriteOptions } from '../storage/database.ts';
import type { PageBounds } from '../storage/list-filters.ts';
import type { AuditChanges, AuditEntryResource, AuditLogQuery } from './audit-schemas.ts';
import { type AuditEntry, findAuditEntries, insertAuditEntry } from './queries/audit-log.ts';

/** A longer value is truncated to the start of its JSON. */
const VALUE_CHARACTERS_MAX = 2_000;

/** Members that repeat data of another resource, which has its own entries. */
const DERIVED_MEMBERS: ReadonlySet<string> = new Set(['partnerName']);

/** An action and its actor. */
export interface AuditedAction {
  accountId: AccountId;
  actor: AuditedActor;
  /** For example `partner.update`. */
  action: string;
}

/**
 * A service for one request or command. The changes that its use case notes are added to the audit log, in the unit of
 * work that makes them. Its units run alone unless they say otherwise, because they are rare and many rely on row
 * locks.
 *
 * @param admit throws, in the first unit of work, when the caller was locked out since the request was accepted
 */
export function auditedService(
  service: Service,
  audited: AuditedAction,
  admit: Unit<void> = async () => undefined,
): Service {
  const { database, clock } = service;
  // a request that has begun is finished, so that it does not end halfway
  let isAdmitted = false;
  const write = async <T>(unit: Unit<T>, options?: WriteOptions): Promise<T> => {
    const written = await database.write(
      async (tx) => {
        const changes = collectChanges(tx);
        // on PostgreSQL, both begin with the same round trip
        const [, result] = await inOrder(isAdmitted ? null : admit(tx), unit(tx));
        await Promise.all(changes.map((change) => recordChange(tx, audited, change, clock())));
        return result;
      },
      { alone: true, ...options },
    );
    isAdmitted = true;
    return written;
  };
  return Object.freeze({ ...service, database: { ...database, write } });
}

/** Adds an entry inside a unit of work. */
export async function recordChange(
  tx: Transaction,
  { accountId, actor, action }: AuditedAction,
  change: NotedChange,
  now: number,
): Promise<void> {
  await insertAuditEntry(tx, {
    id: createId('aud'),
    accountId,
    actorId: actorName(actor),
    actorName: actor.name,
    action,
    resourceId: change.resourceId,
    changes: JSON.stringify(changedMembers(change)),
    createdAt: now,
  });
}

/** One page of the account's audit log, newest first. */
export function listAuditLog(
  service: Service,
  accountId: AccountId,
  { limit, cursor, from, to, operatorId: actorId, resourceId, action }: AuditLogQuery,
): Promise<Page<AuditEntryResource>> {
  requirePeriod({ from, to });
  // ids sort by time, so a period is a contiguous part of the list
  const fromId = idsFrom('aud', from ?? 0);
  const toId = to === null ? cursor : idsFrom('aud', to);
  const page = { limit, cursor: toId < cursor ? toId : cursor };
  const filters = { resourceId, actorId, action };
  return service.database.report((tx) => {
    const find = async (bounds: PageBounds) => {
      const entries = await findAuditEntries(tx, accountId, filters, bounds);
      return entries.filter(({ id }) => id >= fromId);
    };
    return pageOf(page, find, asEntry);
  });
}

/** The members that differ, each with its values before and after; null where there is no value. */
function changedMembers({ before = {}, after = {}, secretMembers = [] }: NotedChange): AuditChanges {
  const [old, current] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const names = [...new Set([...old.keys(), ...current.keys()])].filter((name) => !DERIVED_MEMBERS.has(name));
  const pairs = names
    .map((name) => [name, { before: kept(old.get(name)), after: kept(current.get(name)) }] as const)
    .filter(([, change]) => JSON.stringify(change.before) !== JSON.stringify(change.after));
  const hidden = secretMembers.map((name) => [name, { before: 'hidden', after: 'hidden' }] as const);
  return Object.fromEntries([...pairs, ...hidden]);
}

function kept(value: unknown): unknown {
  const json = JSON.stringify(value ?? null);
  return json.length <= VALUE_CHARACTERS_MAX ? (value ?? null) : excerpt(json, VALUE_CHARACTERS_MAX);
}

function asEntry({
  id,
  actorId,
  actorName: name,
  action,
  resourceId,
  changes,
  createdAt,
}: AuditEntry): AuditEntryResource {
  return {
    id,
    actor: { type: actorKind(actorId), id: actorId, name },
    action,
    resourceId,
    changes: JSON.parse(changes) as AuditChanges,
    createdAt: isoTime(createdAt),
  };
}
