import type { Transaction } from '../storage/database.ts';

/** What a unit of work did to one resource. */
export interface NotedChange {
  resourceId: string;
  /** The resource as answered before; absent for a new one. */
  before?: object;
  /** The resource as answered afterwards; absent for a deleted one. */
  after?: object;
  /** Members that changed and whose values must not be kept, such as secrets. */
  secretMembers?: readonly string[];
}

/** The changes noted in each unit of work that has a collector. */
const collected = new WeakMap<Transaction, NotedChange[]>();

/** Collects the changes that use cases note in this unit of work; the array grows as they do. */
export function collectChanges(tx: Transaction): readonly NotedChange[] {
  const changes: NotedChange[] = [];
  collected.set(tx, changes);
  return changes;
}

/**
 * Notes a change for the audit log, in the unit of work that makes it. Every use case that a person or a key starts
 * notes its changes; without a collector, as for webhooks and background jobs, nothing happens.
 */
export function noteChange(tx: Transaction, change: NotedChange): void {
  collected.get(tx)?.push(change);
}
