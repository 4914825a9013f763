import type { ImportInput } from '../../../../../client/api-types.ts';
import { SOURCE_FORMS, type SourceForm } from '../../../../../exchange/sources/forms.ts';
import type { Answer } from '../../../../parts/api.ts';

export type ListedImport = Answer<'listImports'>['data'][number];
/** An import with its report. */
export type Run = Answer<'getImport'>;

/** The values typed into the form; kept while a dry run shows its result. */
export interface ImportValues {
  source: string;
  kind: string;
  file: File | null;
  /** Lines of `heading = field`. */
  columns: string;
  from: string;
  programId: string;
  linkUrl: string;
  credentials: Readonly<Record<string, string>>;
}

export const NO_VALUES: ImportValues = {
  source: 'csv',
  kind: 'partners',
  file: null,
  columns: '',
  from: '',
  programId: '',
  linkUrl: '',
  credentials: {},
};

export const SERVICES: readonly SourceForm[] = Object.values(SOURCE_FORMS);

export function serviceOf(source: string): SourceForm | undefined {
  return SERVICES.find(({ name }) => name === source);
}

/** The body of the request. */
export function inputOf(values: ImportValues, dryRun: boolean): ImportInput {
  const { source, kind, file, columns, from, programId, linkUrl, credentials } = values;
  const program = orNull(programId);
  const settings =
    source === 'csv'
      ? { kind, fileBytes: file?.size ?? 0, columns: columnsIn(columns), from: orNull(from), programId: program }
      : { credentials, linkUrl: orNull(linkUrl), programId: program };
  return { source, settings, dryRun } as ImportInput;
}

function columnsIn(text: string): Record<string, string> {
  const pairs = text
    .split('\n')
    .map((line) => [line.slice(0, line.lastIndexOf('=')).trim(), line.slice(line.lastIndexOf('=') + 1).trim()] as const)
    .filter(([heading, field]) => heading !== '' && field !== '');
  return Object.fromEntries(pairs);
}

function orNull(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}
