import type { Service } from '../../app/service.ts';
import type { Actor } from '../../core/actor.ts';
import type { AccountId } from '../../core/ids.ts';
import type { PaymentProcessor } from '../../core/processor.ts';
import { ServiceError } from '../../errors.ts';
import { shortLinkOf } from '../../links/links.ts';
import { trackLead } from '../../payments/lead.ts';
import { getCustomer } from '../../payments/lists/list-customers.ts';
import { findSaleOfInvoice } from '../../payments/lists/sale-of-invoice.ts';
import { reportSale } from '../../payments/report-sale.ts';
import { leadInput } from '../../payments/resources/customer-schemas.ts';
import { customerSaleInput, saleInput, type TrackedSaleResource } from '../../payments/resources/sale-schemas.ts';
import { trackSale } from '../../payments/sale.ts';
import { issueEmbedToken } from '../../programs/embed-tokens.ts';
import { embedTokenInput, type IssuedEmbedToken } from '../../programs/schemas.ts';
import { parseInput } from '../../schema/parse.ts';
import { findLinkNames } from '../queries/names.ts';
import {
  type AnyObject,
  type DubLead,
  type DubSale,
  type DubTokenInput,
  leadModeInput,
  saleModeInput,
} from './track-schemas.ts';

/**
 * Records a lead. Without a click id, the customer's stored click decides. `deferred` binds the customer and leaves the
 * lead to a later report.
 *
 * @throws ServiceError `NOT_FOUND` when there is no click id and the customer has none; `INVALID_CLICK_ID`,
 * `VALIDATION_ERROR`
 */
export async function trackDubLead(service: Service, accountId: AccountId, body: AnyObject): Promise<DubLead> {
  const { clickId, customerExternalId, mode } = parseInput(leadModeInput, body);
  const stored = clickId ?? (await clickOfCustomer(service, accountId, customerExternalId));
  const input = parseInput(leadInput, { ...body, clickId: stored });
  const lead = await trackLead(service, accountId, input, { isDeferred: mode === 'deferred' });
  const { name, email, avatar, externalId } = await getCustomer(service, accountId, customerExternalId);
  const links = await service.database.read((tx) => findLinkNames(tx, accountId, [lead.link.id]));
  const link = links.get(lead.link.id);
  return {
    click: lead.click,
    link: link === undefined ? null : { ...link, shortLink: shortLinkOf(service, link) },
    customer: { name, email, avatar, externalId },
  };
}

async function clickOfCustomer(service: Service, accountId: AccountId, externalId: string): Promise<string> {
  const { clickId } = await getCustomer(service, accountId, externalId);
  if (clickId !== null) return clickId;
  throw new ServiceError('NOT_FOUND', `Customer ${JSON.stringify(externalId)} has no click; send a clickId`);
}

/** The buyer and the purchase, as returned the first time and whenever the sale is reported again. */
type SaleParts = Pick<TrackedSaleResource, 'eventName' | 'customer'> & {
  sale: Pick<TrackedSaleResource['sale'], 'amount' | 'currency' | 'paymentProcessor' | 'invoiceId'>;
  metadata: Record<string, unknown> | null;
};

/**
 * Records a sale. A click id decides the partner; without one, the customer's lead does. While no owner is known, the
 * payment is parked and the response has neither customer nor sale. A repeated invoice gets the first response again.
 *
 * @throws ServiceError `INVALID_CLICK_ID`, `VALIDATION_ERROR`
 */
export async function trackDubSale(service: Service, accountId: AccountId, body: AnyObject): Promise<DubSale> {
  const { clickId, paymentProcessor: named } = parseInput(saleModeInput, body);
  const isForeign = named === 'apple' || named === 'dub';
  const paymentProcessor: PaymentProcessor = isForeign ? 'custom' : named;
  const sent = { ...body, paymentProcessor };
  const input = parseInput(customerSaleInput, sent);
  const { eventName, invoiceId, metadata } = input;
  const answer = (parts: SaleParts) => saleAnswer(service, accountId, parts, isForeign ? named : null);
  try {
    if (clickId !== null) {
      const withClick = parseInput(saleInput, { ...sent, clickId });
      return await answer({ ...(await trackSale(service, accountId, withClick)), metadata });
    }
    const reported = await reportSale(service, accountId, input);
    if ('parkedPayment' in reported) return { eventName, customer: null, sale: null };
    return await answer({ ...reported, metadata });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'DUPLICATE_INVOICE' || invoiceId === null) throw error;
    const first = await findSaleOfInvoice(service, accountId, invoiceId);
    if (first === null) throw error;
    const { amount, currency } = first;
    return answer({
      eventName: first.eventName,
      customer: first.customer,
      sale: { amount, currency, paymentProcessor: first.paymentProcessor, invoiceId: first.invoiceId },
      metadata: first.metadata,
    });
  }
}

/** @param foreign the processor as this client named it, for a sale that is stored as `custom` */
async function saleAnswer(
  service: Service,
  accountId: AccountId,
  { eventName, customer: { externalId }, sale, metadata }: SaleParts,
  foreign: 'apple' | 'dub' | null,
): Promise<DubSale> {
  const { amount, currency, invoiceId } = sale;
  const paymentProcessor = foreign !== null && sale.paymentProcessor === 'custom' ? foreign : sale.paymentProcessor;
  const known = externalId === null ? null : await getCustomer(service, accountId, externalId);
  const customer = known && {
    id: known.id,
    name: known.name,
    email: known.email,
    avatar: known.avatar,
    externalId: known.externalId,
  };
  return { eventName, customer, sale: { amount, currency, paymentProcessor, invoiceId, metadata } };
}

/** @throws ServiceError like `issueEmbedToken` */
export function issueDubToken(
  service: Service,
  caller: { accountId: AccountId; actor: Actor },
  { partnerId, tenantId, partner }: DubTokenInput,
): Promise<IssuedEmbedToken> {
  const named = {
    enrollmentId: partnerId,
    tenantId: tenantId ?? partner?.tenantId ?? null,
    partner: partner && { email: partner.email, name: partner.name || null },
  };
  return issueEmbedToken(service, caller, parseInput(embedTokenInput, named));
}
