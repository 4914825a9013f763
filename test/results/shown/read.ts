import { parseCsv } from '../../../src/core/csv.ts';
import type { Answer, TestApp } from '../../helpers/app.ts';
import type { Row } from './rows.ts';

export const DAY_MS = 86_400_000;

/** A period of creation times, without either end or both. */
export type Ends = readonly [from: number | null, to: number | null];

/** @throws Error when it is refused */
export async function get(app: TestApp, path: string): Promise<Answer> {
  const answer = await app.call('GET', path);
  if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`);
  return answer;
}

/** A time as text. */
export const iso = (time: number): string => new Date(time).toISOString();

/** The start of a time's day in UTC. */
export const dayOf = (time: number): number => Math.floor(time / DAY_MS) * DAY_MS;

/** `from=…&to=…`, without missing ends. */
export function periodQuery([from, to]: Ends): string {
  const query = new URLSearchParams();
  if (from !== null) query.set('from', iso(from));
  if (to !== null) query.set('to', iso(to));
  return String(query);
}

export const isIn =
  ([from, to]: Ends) =>
  ({ createdAt }: Row): boolean =>
    (from === null || Date.parse(createdAt) >= from) && (to === null || Date.parse(createdAt) < to);

/** The lines of a CSV file, by heading. */
export function csvOf(text: string): Row[] {
  const [headings = [], ...lines] = parseCsv(text);
  return lines.map((cells) => Object.fromEntries(headings.map((name, index) => [name, cells[index] ?? ''])));
}
