import { DAY_MS } from '../../core/time.ts';

/** The UTC day of a time, in days since 1970. Both are SQL. */
export const dayOf = (time: string) => `${time} / ${DAY_MS}`;

/** The SQL of `daysOf(createdAt, dueAt).dueDay`. */
export const dueDayOf = (createdAt: string, dueAt: string) =>
  `CASE WHEN ${dueAt} < ${createdAt} THEN ${dayOf(createdAt)} ELSE ${dayOf(dueAt)} END`;
