import { randomBytes } from 'node:crypto';
import { createAccount } from '../../../src/accounts/accounts.ts';
import type { Service } from '../../../src/app/service.ts';
import { parseEndpoint } from '../../../src/deliveries/endpoint-fields.ts';
import { createEndpoint } from '../../../src/deliveries/endpoints.ts';
import { createLink } from '../../../src/links/links.ts';
import { linkInput } from '../../../src/links/schemas.ts';
import { issueEmbedToken } from '../../../src/programs/embed-tokens.ts';
import { createPartner } from '../../../src/programs/partners.ts';
import { embedTokenInput, partnerInput } from '../../../src/programs/schemas.ts';
import { parseInput } from '../../../src/schema/parse.ts';

/** One account of the network, and what its visitors, its backend and its processor know. */
export interface Shop {
  apiKey: string;
  /** Each domain belongs to one account. */
  linkDomain: string;
  webhookPath: string;
  secret: string;
  /** For its partner's portal; null for an account whose partner never opens it. */
  embedToken: string | null;
  /** Clicks without a lead yet. */
  clickIds: string[];
  /** Customers whose lead was acknowledged, with their clicks. */
  customers: { externalId: string; clickId: string }[];
  /** Invoices that were acknowledged and have not been refunded yet. */
  invoices: string[];
}

/** The key of each account's only link. */
export const LINK_KEY = 'start';
/** How many accounts are created at the same time, so that they share commits. */
const TOGETHER = 64;
/** The largest accounts, whose partners open their portal. */
const WITH_PORTAL = 500;

/** Creates accounts with a partner, a link and a Stripe endpoint each. */
export async function createShops(service: Service, count: number): Promise<Shop[]> {
  const shops: Shop[] = new Array(count);
  let next = 0;
  const createSome = async () => {
    for (let n = next++; n < count; n = next++) shops[n] = await createShop(service, n);
  };
  await Promise.all(Array.from({ length: TOGETHER }, createSome));
  return shops;
}

async function createShop(service: Service, n: number): Promise<Shop> {
  const { accountId, apiKey } = await createAccount(service, { name: `Shop ${n}` });
  const email = `partner${n}@example.com`;
  const partner = parseInput(partnerInput, { name: `Partner ${n}`, email });
  const { id: partnerId } = await createPartner(service, accountId, partner);
  const linkDomain = `shop${n}.example.com`;
  const link = { partnerId, domain: linkDomain, key: LINK_KEY, url: 'https://shop.example.com' };
  await createLink(service, accountId, parseInput(linkInput, link));
  const secret = `whsec_${randomBytes(24).toString('hex')}`;
  const endpoint = await createEndpoint(service, accountId, parseEndpoint({ processor: 'stripe', secrets: [secret] }));
  const token =
    n < WITH_PORTAL
      ? await issueEmbedToken(
          service,
          { accountId, actor: { kind: 'command_line' } },
          parseInput(embedTokenInput, { partner: { email }, expiresIn: 86_400 }),
        )
      : null;
  return {
    apiKey,
    linkDomain,
    webhookPath: new URL(endpoint.url).pathname,
    secret,
    embedToken: token?.publicToken ?? null,
    clickIds: [],
    customers: [],
    invoices: [],
  };
}
