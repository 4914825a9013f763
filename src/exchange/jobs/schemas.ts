import { z } from 'zod';
import { pageInput, pageOfSchema } from '../../app/page.ts';
import { countSchema, timeSchema } from '../../schema/answer-fields.ts';
import { httpUrlField, optional, text, withDefault } from '../../schema/fields.ts';
import { CSV_KINDS, type CsvKind } from '../csv-fields.ts';
import { MOVED_KINDS } from '../moved/facts.ts';
import { CREDENTIAL, CREDENTIAL_RULE, SOURCE_FORMS, type SourceForm } from '../sources/forms.ts';

export const FILE_BYTES_MAX = 50 * 1024 * 1024;
const PARTS_MAX = 1_000;
/** How many refused rows an import keeps, and how many that were left out. */
export const PROBLEMS_KEPT_MAX = 100;
/** E-mail addresses are masked in them, but the text around an address may still identify a person. */
export const PROBLEMS_KEPT_DAYS = 7;

// the code that reads them is loaded only by a running import
const FORMS: readonly SourceForm[] = Object.values(SOURCE_FORMS);
const IMPORT_SOURCES = ['csv', ...FORMS.map(({ name }) => name)] as const;
const IMPORT_STATUSES = ['uploading', 'waiting', 'running', 'completed', 'failed', 'canceled'] as const;

const programId = optional(text()).describe('The program of new partners; needed when the account has several.');

const csvSettings = z.object({
  kind: z.enum(CSV_KINDS).describe('What the rows are.'),
  fileBytes: z
    .int('must be the size of the file in bytes')
    .min(1, 'must not be 0: the file is empty')
    .max(FILE_BYTES_MAX, `must be at most ${FILE_BYTES_MAX}: split the file, with the row of headings in each part`)
    .describe('The size of the file. The import begins once that many bytes have arrived.'),
  columns: withDefault(z.record(z.string(), text()), {}).describe(
    'The field that a column holds, by its heading, for headings that are not recognized.',
  ),
  programId,
  from: optional(text(100)).describe(
    'The service that the file is from, such as Rewardful; labels what was earned there.',
  ),
});

const credentialsOf = (source: SourceForm) =>
  z.object(
    Object.fromEntries(
      source.credentials.map(({ name, question, isSecret }) => [
        name,
        text(2_000)
          .regex(CREDENTIAL, CREDENTIAL_RULE)
          .describe(`${question.replace(/[:\s]+$/, '')}.${isSecret ? ' Never returned.' : ''}`),
      ]),
    ),
  );

const sourceSettings = (source: SourceForm) =>
  z.object({
    credentials: credentialsOf(source).describe('Encrypted while the import runs, then deleted.'),
    programId: optional(text()).describe(
      'Puts all partners in this program, which keeps its terms; by default, in the programs of the source.',
    ),
    linkUrl: optional(httpUrlField).describe('The destination of links for which the source gives none.'),
    apiUrl: optional(httpUrlField).describe(
      `An API address other than ${source.apiUrl}, on a host that \`EVENT_ALLOWED_HOSTS\` names.`,
    ),
  });

const dryRun = withDefault(z.boolean(), false).describe('Reports what each row would become, and stores nothing.');

interface CsvRequest {
  source: 'csv';
  settings: z.output<typeof csvSettings>;
  dryRun: boolean;
}

interface SourceRequest {
  source: string;
  settings: {
    credentials: Readonly<Record<string, string>>;
    programId: string | null;
    linkUrl: string | null;
    apiUrl: string | null;
  };
  dryRun: boolean;
}

export type ImportInput = CsvRequest | SourceRequest;
export type CsvSettings = CsvRequest['settings'];
export type SourceSettings = SourceRequest['settings'];

/** A CSV file, or one of the services with an API. */
export const importInput = z
  .discriminatedUnion(
    'source',
    [
      z.object({ source: z.literal('csv'), settings: csvSettings, dryRun }),
      ...FORMS.map((source) => z.object({ source: z.literal(source.name), settings: sourceSettings(source), dryRun })),
    ] as unknown as [z.ZodObject, ...z.ZodObject[]],
    { error: `must be one of ${IMPORT_SOURCES.join(', ')}` },
  )
  .meta({ id: 'ImportInput' }) as unknown as z.ZodType<ImportInput, object>;

export const partQuery = z.object({
  part: z
    .string()
    .refine((value) => /^[1-9]\d{0,3}$/.test(value) && Number(value) <= PARTS_MAX, `must be from 1 to ${PARTS_MAX}`)
    .meta({ type: 'integer', minimum: 1, maximum: PARTS_MAX, default: 1 })
    .optional()
    .transform((part) => Number(part ?? 1))
    .describe('The number of the part, from 1.'),
});

const kindSchema = z.enum([...new Set<CsvKind | (typeof MOVED_KINDS)[number]>([...CSV_KINDS, ...MOVED_KINDS])]);

const LEFT_OUT_TEXT =
  'What the service reports and Refbridge has no place for. In a CSV file, rows with a name or `tenantId` other than ' +
  'the one that their partner has here and keeps; they are also counted by what became of the rest of them.';

const counted = {
  created: countSchema,
  changed: countSchema,
  unchanged: countSchema.describe('They already existed.'),
  refused: countSchema,
};

const importMembers = {
  id: z.string(),
  source: z.string().describe('`csv`, or the name of a service.'),
  kind: z.enum(CSV_KINDS).nullable().describe('What the rows of a CSV file are.'),
  dryRun: z.boolean(),
  status: z
    .enum(IMPORT_STATUSES)
    .describe(
      '`uploading`: until its file has arrived; `waiting`: until a process starts it, or resumes it after an interruption.',
    ),
  file: z
    .object({ bytes: countSchema, receivedBytes: countSchema })
    .nullable()
    .describe('Null for a service, which is read by its API.'),
  progress: z
    .object({
      rows: countSchema.describe('Rows, or records of a service, that were read.'),
      share: z.number().min(0).max(1).nullable().describe('The share of the file; null where the total is not known.'),
    })
    .nullable()
    .describe('Null before it has begun.'),
  counts: z
    .object({ ...counted, leftOut: countSchema.describe(LEFT_OUT_TEXT) })
    .nullable()
    .describe(
      'In a dry run: what would be created, and so on. An import that was interrupted starts over, and counts what it had ' +
        'already stored as unchanged.',
    ),
  byKind: z.array(z.object({ kind: kindSchema, ...counted })).describe('The counts of each kind of record.'),
  ignoredColumns: z.array(z.string()).describe('Headings of columns that were not read.'),
  error: z.string().nullable().describe('Why it failed, or what it waits for.'),
  attempts: countSchema.describe('How often it was started; more than 1 after an interruption.'),
  createdBy: z.object({ id: z.string(), name: z.string() }),
  createdAt: timeSchema,
  startedAt: timeSchema.nullable(),
  endedAt: timeSchema.nullable(),
};

const rowSchema = z.object({
  line: z.int().nullable().describe('In the CSV file, from 1; null for a service.'),
  kind: z.string(),
  id: z.string().nullable().describe("The service's own id; null where it has none, and for a CSV file."),
  reason: z.string(),
});

export const importSchema = z.object(importMembers).meta({ id: 'Import' });
export type ImportResource = z.input<typeof importSchema>;

export const importDetailSchema = z
  .object({
    ...importMembers,
    refusedRows: z
      .array(rowSchema)
      .describe(`The first ${PROBLEMS_KEPT_MAX}, for ${PROBLEMS_KEPT_DAYS} days; e-mail addresses are masked.`),
    leftOutRows: z.array(rowSchema).describe('Like `refusedRows`, for what was left out.'),
  })
  .meta({ id: 'ImportDetail' });
export type ImportDetail = z.input<typeof importDetailSchema>;

export const importListQuery = pageInput('imp');
export const importListSchema = pageOfSchema(importSchema, 'ImportList');

export const exportSchema = z
  .object({
    id: z.string(),
    status: z.enum(['ready', 'expired']),
    expiresAt: timeSchema.describe('It can be downloaded until then.'),
    downloads: countSchema.describe('How often a download was started.'),
    downloadedAt: timeSchema.nullable().describe('When the last download was complete.'),
    rows: countSchema.nullable().describe('The rows in that download.'),
    createdBy: z.object({ id: z.string(), name: z.string() }),
    createdAt: timeSchema,
  })
  .meta({ id: 'Export' });
export type ExportResource = z.input<typeof exportSchema>;

export const exportListQuery = pageInput('exp');
export const exportListSchema = pageOfSchema(exportSchema, 'ExportList');
