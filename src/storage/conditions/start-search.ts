import { RANGES_MAX, type TextRange } from '../../core/text-starts.ts';
import type { SqlParameters } from '../database.ts';

/** A text as an index by its start holds it. Both engines fold the letters of ASCII only, and compare code points. */
export const foldedText = (column: string) => `LOWER(${column} /* postgres: COLLATE "C" */)`;

const PLACES = Array.from({ length: RANGES_MAX }, (_, place) => place);

/** A query for each range of a search and each of these columns, together one SQL text. */
export function inEachRange(columns: readonly string[], queryOf: (condition: string) => string): string {
  const conditions = columns
    .map(foldedText)
    .flatMap((text) => PLACES.map((place) => `${text} >= @from${place} AND ${text} < @to${place}`));
  return conditions.map(queryOf).join(' UNION ALL ');
}

/** The parameters of `inEachRange`, of which unused ones are empty ranges. */
export function rangeParameters(ranges: readonly TextRange[]): SqlParameters {
  const empty = { from: '', to: '' };
  return Object.fromEntries(
    PLACES.flatMap((place) => {
      const { from, to } = ranges[place] ?? empty;
      return [
        [`from${place}`, from],
        [`to${place}`, to],
      ];
    }),
  );
}
