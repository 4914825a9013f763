import type { SqlValue } from '../database.ts';
import type { Combinable } from './combinable.ts';
import type { Pending } from './wire-query.ts';

/** Fewer cost about as much as one statement with arrays; sixteen cost twice as much. */
const EXECUTIONS_MIN = 5;
/** A longer value would be copied several times on its way into an array, as text. Nearly all deliveries are shorter. */
const VALUE_MAX = 16_384;

/** The types of the parameters of a prepared statement; undefined until the server has described it. */
type TypesOf = (name: string) => readonly number[] | undefined;

/** A statement as it is sent, and who waits for its answer: several if it combines several executions. */
export interface Sent {
  name?: string;
  text: string;
  values: readonly SqlValue[];
  waiting: readonly Pending[];
  /** True when each row begins with the number of the execution that it belongs to, from 1. */
  isNumbered: boolean;
}

/**
 * Combines executions of the same statement, because each statement costs the server and us about as much as a few rows.
 *
 * The order changes only within a run of lookups, or of INSERTs, and never within one unit of work: a row is inserted
 * after the one that it refers to. Units are independent of each other, unless one has waited for the other's keys; then
 * it begins with a lookup, which ends the run. Otherwise, a foreign key would refuse its row: each unit then runs alone.
 */
export function combine(pending: readonly Pending[], typesOf: TypesOf): readonly Sent[] {
  const sent: Sent[] = [];
  let run: Pending[] = [];
  const endRun = () => {
    if (areOfFewUnits(run)) sent.push(...run.map(apart));
    else for (const executions of groupsOf(run)) sent.push(...combineGroup(executions, typesOf));
    run = [];
  };
  for (const one of pending) {
    const { combinable } = one.query;
    const isOfRun = run.length === 0 || run[0]?.query.combinable?.isLookup === combinable?.isLookup;
    if (!combinable || !isOfRun) endRun();
    if (combinable) run.push(one);
    else sent.push(apart(one));
  }
  endRun();
  return sent;
}

export function apart(pending: Pending): Sent {
  const { name, text, values } = pending.query;
  const sent = { text, values: valuesOf(values), waiting: [pending], isNumbered: false };
  return name === undefined ? sent : { ...sent, name };
}

/** Too few to combine anything: executions of one unit, which keep their order, are not combined with each other. */
function areOfFewUnits(run: readonly Pending[]): boolean {
  const units = new Set<object>();
  return run.length < EXECUTIONS_MIN || run.every(({ unit }) => units.add(unit).size < EXECUTIONS_MIN);
}

/**
 * The executions of a run by statement, at most one of each unit in a group, and in an order that keeps that of each unit.
 * A statement is taken when it is the next one of every unit that has it; where there is none, the one that most units
 * have next.
 */
function groupsOf(run: readonly Pending[]): Pending[][] {
  const queues = Map.groupBy(run, ({ unit }) => unit);
  /** How many executions of each statement are in no group yet. */
  const remaining = new Map<Combinable, number>();
  for (const { query } of run) addTo(remaining, query.combinable as Combinable, 1);
  /** The first execution in the queue of each unit, by statement. */
  const next = new Map<Combinable, Pending[]>();
  const advance = (unit: object) => {
    const first = queues.get(unit)?.shift();
    if (!first) return;
    const statement = first.query.combinable as Combinable;
    const others = next.get(statement);
    if (others) others.push(first);
    else next.set(statement, [first]);
  };
  for (const unit of queues.keys()) advance(unit);
  const groups: Pending[][] = [];
  while (next.size > 0) {
    const [statement, executions] = nextGroup(next, remaining);
    next.delete(statement);
    addTo(remaining, statement, -executions.length);
    groups.push(executions);
    for (const { unit } of executions) advance(unit);
  }
  return groups;
}

function nextGroup(next: ReadonlyMap<Combinable, Pending[]>, remaining: ReadonlyMap<Combinable, number>) {
  const groups = [...next];
  return (
    groups.find(([statement, executions]) => executions.length === remaining.get(statement)) ??
    groups.reduce((most, group) => (group[1].length > most[1].length ? group : most))
  );
}

function addTo(counts: Map<Combinable, number>, statement: Combinable, count: number): void {
  counts.set(statement, (counts.get(statement) ?? 0) + count);
}

/** One statement for the executions of a group, and one for each that has a long value; or one for each if they are few. */
function combineGroup(executions: readonly Pending[], typesOf: TypesOf): readonly Sent[] {
  const [{ query }] = executions as [Pending];
  const small = executions.filter(isSmall);
  const types = typesOf(query.name ?? '');
  const text = types && query.combinable?.textFor(types);
  if (!text || small.length < EXECUTIONS_MIN) return executions.map(apart);
  const { name, isLookup } = query.combinable as Combinable;
  const rows = small.map((one) => valuesOf(one.query.values));
  const values = types.map((_, index) => arrayOf(rows, index));
  const combined = { name, text, values, waiting: small, isNumbered: isLookup };
  return [combined, ...executions.filter((one) => !isSmall(one)).map(apart)];
}

function isSmall({ query: { values = [] } }: Pending): boolean {
  // only those of claims may still change, and claims are not combined
  if (typeof values === 'function') return true;
  return values.every((value) => value === null || typeof value === 'number' || value.length <= VALUE_MAX);
}

/** A function returns values that may change until the statement is sent. */
function valuesOf(values: Pending['query']['values'] = []): readonly SqlValue[] {
  return typeof values === 'function' ? values() : values;
}

/** One value of each execution, in the text form of an array. */
function arrayOf(rows: readonly (readonly SqlValue[])[], index: number): string {
  let members = '';
  for (const row of rows) members += `${members === '' ? '' : ','}${memberOf(row[index] as SqlValue)}`;
  return `{${members}}`;
}

function memberOf(value: SqlValue): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return `"${value.replace(/["\\]/g, '\\$&')}"`;
  return `"\\\\x${value.toString('hex')}"`;
}
