import type { CsvColumns } from '../app/csv-list.ts';
import { CODES_IN_FILES, joinCodes } from '../core/code-list.ts';
import type { PartnerResource } from './schemas.ts';

const columns: CsvColumns<PartnerResource> = {
  partner_id: ({ id }) => id,
  created_at: ({ createdAt }) => createdAt,
  program_id: ({ programId }) => programId,
  name: ({ name }) => name,
  email: ({ email }) => email,
  tenant_id: ({ tenantId }) => tenantId,
  discount_codes: ({ discountCodes }) => joinCodes(discountCodes, CODES_IN_FILES),
  status: ({ status }) => status,
};

/** The list of partners as a file. */
export const PARTNERS_FILE = { name: 'partners', columns };
