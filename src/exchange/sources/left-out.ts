import type { NotCarried } from '../moved/facts.ts';

/** Something that has no place here; without an id, what the source does not report of anything. */
export function leftOut(what: string, reason: string, id = ''): NotCarried {
  return { kind: 'left out', what, id, reason };
}

/** The state of a partner who cannot refer at the source, in which no partner is here. */
export function leftOutState(state: string, { id, email }: { id: string; email: string }): NotCarried {
  const reason = `${email} is ${state} there, and active here: archive the partner if they should not refer`;
  return leftOut('partner state', reason, id);
}
