import { z } from 'zod';
import { optional } from './fields.ts';

/** `false`: resources in use; `true`: archived ones; `all`: both. */
const ARCHIVED = ['false', 'true', 'all'] as const;

/** The value of the filter `archived` of a list query; null for both. */
export type ArchivedFilter = 'no' | 'yes' | null;

const FILTERS: Readonly<Record<(typeof ARCHIVED)[number], ArchivedFilter>> = { false: 'no', true: 'yes', all: null };

/** The query parameter of lists that omit archived resources by default. */
export const archivedField = optional(z.enum(ARCHIVED))
  .transform((archived) => FILTERS[archived ?? 'false'])
  .describe('`false` (the default): in use; `true`: archived; `all`: both.');
