import type { z } from 'zod';
import type { Fact, Interpretation } from '../../src/core/facts.ts';
import type { InterpretSettings } from '../contract/adapter.ts';

/** What is the same in every event. */
export interface StripeEvent {
  type: string;
  occurredAt: number;
  /** The object that the event is about, as it was when the event happened; not checked yet. */
  object: unknown;
}

/** Makes an interpretation of one type of event. */
export type Interpreter = (event: StripeEvent, settings: InterpretSettings) => Interpretation;

/** An interpreter of events about objects of one schema; an object of another shape is `unknown` and says where. */
export function about<Schema extends z.ZodType>(
  schema: Schema,
  interpretObject: (object: z.output<Schema>, event: StripeEvent, settings: InterpretSettings) => Interpretation,
): Interpreter {
  return (event, settings) => {
    const result = schema.safeParse(event.object);
    if (result.success) return interpretObject(result.data, event, settings);
    return unknown(`${event.type} has a shape that is not known: ${problemOf(result.error)}`);
  };
}

/** Facts; where there are none the sentence says why, and where there are only identities it is noted beside them. */
export function factsOrReason(facts: Fact[], reason: string): Interpretation {
  if (facts.length === 0) return { kind: 'ignored', reason };
  return { kind: 'facts', facts: [...facts, { kind: 'noted', what: reason }] };
}

export function unknown(reason: string): Interpretation {
  return { kind: 'unknown', reason };
}

/** A value of the payload for a sentence: quoted, without control characters, and not endless. */
export function quoted(value: string): string {
  return JSON.stringify(value.slice(0, 60));
}

/** The first place where a payload is not as its schema says: `total_details.amount_tax: Invalid input…`. */
export function problemOf(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return error.message;
  const path = issue.path.map(String).join('.');
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}
