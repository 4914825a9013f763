import { LimitedLines } from '../app/limited-lines.ts';
import type { Service } from '../app/service.ts';
import { destinationFor } from '../core/destination.ts';
import type { ClickId } from '../core/ids.ts';
import { CLICK_PARAMETERS } from '../core/tracking-parameters.ts';
import { messageOf } from '../errors.ts';
import { recordVisitor, type Visitor } from './click.ts';
import { isWithinClickRate } from './click-rate.ts';
import type { LinkTarget } from './queries/clicks.ts';
import { resolveLink } from './targets.ts';
import type { NoVisitor } from './visitor.ts';

const USUAL_PARAMETERS = JSON.stringify(CLICK_PARAMETERS);

/** A request for a link. */
export interface LinkRequest {
  /** The `Host` header. */
  domain: string;
  key: string;
  /** The raw query, which is forwarded to the destination. */
  query: string;
}

/**
 * Why a redirect carries no click id: one of the visitor's reasons, too many clicks from one address, or no database.
 */
export type NoClick = NoVisitor | 'rate' | 'lost';

/** The destination of a visitor. */
export interface Redirect {
  destination: string;
  /** Null when a click was recorded. */
  noClick: NoClick | null;
}

/**
 * Records a click and returns the redirect; null for an unknown link. If no click is recorded, the visitor is still
 * redirected, but without a click id.
 *
 * @throws ServiceError `UNAVAILABLE` when the database does not answer and the link is not cached
 */
export async function followLink(
  service: Service,
  { domain, key, query }: LinkRequest,
  visitor: Visitor | NoVisitor,
): Promise<Redirect | null> {
  const found = await resolveLink(service, domain, key);
  if (found === null) return null;
  const { link, isCurrent } = found;
  const redirect = (clickId: ClickId | null, noClick: NoClick | null): Redirect => ({
    destination: destinationFor(link.url, { query, clickId, clickParameters: clickParametersOf(link) }),
    noClick,
  });
  if (typeof visitor === 'string') return redirect(null, visitor);
  if (!isWithinClickRate(service, visitor.address)) return redirect(null, 'rate');
  const clickId = await tryToRecord(service, link, visitor, isCurrent);
  return redirect(clickId, clickId === null ? 'lost' : null);
}

/** Nearly every program has the default parameters, which need not be parsed on each visit. */
function clickParametersOf({ clickParameters }: LinkTarget): readonly string[] {
  return clickParameters === USUAL_PARAMETERS ? CLICK_PARAMETERS : (JSON.parse(clickParameters) as string[]);
}

async function tryToRecord(
  service: Service,
  link: LinkTarget,
  visitor: Visitor,
  isCurrent: boolean,
): Promise<ClickId | null> {
  try {
    if (!isCurrent) throw new Error('The database did not answer');
    return await recordVisitor(service, link, visitor);
  } catch (error) {
    const reason = messageOf(error);
    service.metrics.clickLost();
    if (service.state(createLossLines).take())
      service.log.error({ linkId: link.id, reason }, 'click lost: the visitor was redirected without a click id');
    return null;
  }
}

const createLossLines = ({ log }: Service) =>
  new LimitedLines((count) => log.error({ count }, 'more clicks were lost in this second'));
