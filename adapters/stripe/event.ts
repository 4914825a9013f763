import type { z } from 'zod';
import type { Fact, Interpretation } from '../../src/core/facts.ts';
import { interpretAs } from '../contract/interpret-as.ts';
import { ignored } from '../contract/interpretations.ts';
import type { Settings } from './settings.ts';

/** The members that every event has. */
export interface StripeEvent {
  type: string;
  occurredAt: number;
  /** True for an API version before 2025-03-31.basil, of which the event has the shape. */
  isBeforeBasil: boolean;
  /** The event's object, as it was when the event occurred; not validated yet. */
  object: unknown;
}

/** Interprets one or more event types. */
export type Interpreter = (event: StripeEvent, settings: Settings) => Interpretation;

/** Creates an interpreter for one object schema. A mismatch is `unknown`, with a reason that says where. */
export function about<Schema extends z.ZodType>(
  schema: Schema,
  interpretObject: (object: z.output<Schema>, event: StripeEvent, settings: Settings) => Interpretation,
): Interpreter {
  return (event, settings) =>
    interpretAs(event.type, schema, event.object, (object) => interpretObject(object, event, settings));
}

/** Returns the facts with the reason as a note, or `ignored` with the reason if there are no facts. */
export function factsOrReason(facts: Fact[], reason: string): Interpretation {
  if (facts.length === 0) return ignored(reason);
  return { kind: 'facts', facts: [...facts, { kind: 'noted', what: reason }] };
}

/** Formats a payload value for a message: quoted, control characters escaped, cut to 60 characters. */
export function quoted(value: string): string {
  return JSON.stringify(value.slice(0, 60));
}
