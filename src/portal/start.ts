import type { EmbedSession } from '../app/embed-session.ts';
import type { Service } from '../app/service.ts';
import { getPortalConfig } from '../programs/portal-config.ts';
import type { PortalConfig } from '../programs/schemas.ts';
import { getPortalTerms, listPortalLinks } from './parts.ts';

/** What the page receives with its HTML, so that it shows the link at once. */
export interface PortalStart {
  config: PortalConfig;
  /** How long the token is valid. A duration, because the clock of the partner's device may be wrong. */
  expiresInMs: number;
  /** Responses of `/api/embed/referrals/<name>` by name. Hidden parts are missing. */
  parts: Readonly<Record<string, unknown>>;
}

/** The newest links. The page requests more when needed. */
const LINKS_SHOWN = { limit: 20, cursor: 'lnk_z' };

/** The start data of the page for an embed token. */
export async function getPortalStart(
  service: Service,
  session: EmbedSession & { expiresAt: number },
): Promise<PortalStart> {
  const config = await getPortalConfig(service, session);
  const [terms, links] = await Promise.all([
    getPortalTerms(service, session),
    config.showReferralLink ? listPortalLinks(service, session, LINKS_SHOWN) : null,
  ]);
  const parts = links === null ? { terms } : { terms, links };
  return { config, expiresInMs: session.expiresAt - service.clock(), parts };
}
