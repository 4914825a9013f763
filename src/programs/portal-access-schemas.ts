import { z } from 'zod';

/** What no longer opens a partner's portal. Expired and used ones do not count. */
export const endedPortalAccessSchema = z
  .object({
    links: z.int().describe('Portal links that nobody had opened yet.'),
    sessions: z.int().describe('Browsers in which a portal link was opened.'),
    embedTokens: z.int().describe('Tokens that your backend had requested.'),
  })
  .meta({ id: 'EndedPortalAccess' });

export type EndedPortalAccess = z.input<typeof endedPortalAccessSchema>;
