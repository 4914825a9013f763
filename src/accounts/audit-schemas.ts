import { z } from 'zod';
import { pageFields, pageOfSchema } from '../app/page.ts';
import { timeSchema } from '../schema/answer-fields.ts';
import { optional, text } from '../schema/fields.ts';
import { periodFields } from '../schema/period-fields.ts';

export const auditLogQuery = z.object({
  ...pageFields('aud'),
  ...periodFields,
  operatorId: optional(text()).describe('Only changes by this operator or API key; "command line" for commands.'),
  resourceId: optional(text()).describe('Only changes to this resource.'),
  action: optional(text()).describe('Only this action: `partner.update`.'),
});

export type AuditLogQuery = z.output<typeof auditLogQuery>;

const changesSchema = z
  .record(z.string(), z.object({ before: z.unknown(), after: z.unknown() }))
  .describe(
    'By field: its value before and after, null where there was or is none. Of a secret, only that it changed. A long ' +
      'value is cut to the start of its JSON.',
  );

export type AuditChanges = z.input<typeof changesSchema>;

export const auditEntrySchema = z
  .object({
    id: z.string(),
    actor: z
      .object({
        type: z.enum(['operator', 'api_key', 'command_line', 'partner']),
        id: z.string(),
        name: z.string().describe('The name at that time; for the command line, the user of the operating system.'),
      })
      .describe('Who did it.'),
    action: z.string().describe('What was done: `partner.update`.'),
    resourceId: z.string(),
    changes: changesSchema,
    createdAt: timeSchema,
  })
  .meta({ id: 'AuditEntry' });

export type AuditEntryResource = z.input<typeof auditEntrySchema>;

export const auditLogSchema = pageOfSchema(auditEntrySchema, 'AuditLog');
