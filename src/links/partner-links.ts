import { type Page, type PageQuery, pageOf } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import type { PartnerId } from '../core/ids.ts';
import type { Commission } from '../core/terms.ts';
import { isoTime } from '../core/time.ts';
import { shortLinkOf } from './links.ts';
import { findLinksOfPartner } from './queries/links.ts';
import { findResultsOfPartner, type LinkResults, noResults } from './results.ts';

/** A link of a partner, with its results while the partner held it. */
export interface PartnerLink extends LinkResults {
  id: string;
  shortLink: string;
  url: string;
  /** The link's own commission; null when the partner's or the program's applies. */
  commission: Commission | null;
  createdAt: string;
}

/** One page of the links that this partner holds now, newest first, with their results of all time. */
export function listLinksOfPartner(
  service: Service,
  partnerId: PartnerId,
  page: PageQuery,
): Promise<Page<PartnerLink>> {
  return service.database.report((tx) =>
    pageOf(
      page,
      async (bounds) => {
        const links = await findLinksOfPartner(tx, partnerId, bounds);
        const ids = links.map(({ id }) => id);
        const results = await findResultsOfPartner(tx, partnerId, ids, service.clock());
        return links.map((link) => ({ ...link, ...(results.get(link.id) ?? noResults()) }));
      },
      ({ id, domain, key, url, commission, clicks, leads, sales, revenue, earnedCommission, createdAt }) => ({
        id,
        shortLink: shortLinkOf(service, { domain, key }),
        url,
        commission,
        clicks,
        leads,
        sales,
        revenue,
        earnedCommission,
        createdAt: isoTime(createdAt),
      }),
    ),
  );
}
