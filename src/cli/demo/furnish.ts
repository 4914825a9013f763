import { createAccount } from '../../accounts/accounts.ts';
import type { Service } from '../../app/service.ts';
import type { AccountId, LinkId, PartnerId, ProgramId } from '../../core/ids.ts';
import { PROCESSORS, type Processor } from '../../core/processor.ts';
import { parseEndpoint } from '../../deliveries/endpoint-fields.ts';
import { createEndpoint, getEndpointSecrets } from '../../deliveries/endpoints.ts';
import { randomBase62 } from '../../ids.ts';
import { createLink } from '../../links/links.ts';
import { linkInput } from '../../links/schemas.ts';
import { createPartner } from '../../programs/partners.ts';
import { partnerInput } from '../../programs/schemas.ts';
import { parseInput } from '../../schema/parse.ts';
import type { Target } from '../replay/target.ts';

/** The partners of the story: one with the program's terms, one with their own, one with a discount code. */
const PARTNERS = {
  ana: { name: 'Ana', email: 'ana@example.com' },
  ben: { name: 'Ben', email: 'ben@example.com', commission: { type: 'percentage', rateBasisPoints: 3000 } },
  cleo: { name: 'Cleo', email: 'cleo@example.com', discountCodes: ['FERNFRIEND10'] },
} as const;

export type PartnerKey = keyof typeof PARTNERS;

const SHOP_URL = 'https://shop.example.com/start?plan=pro';

/** The account of the story, with its partners, links and an endpoint of every processor. */
export interface FurnishedStage {
  accountId: AccountId;
  programId: ProgramId;
  apiKey: string;
  partnerIds: Record<PartnerKey, string>;
  /** The partners' links by their keys. */
  links: Map<string, FurnishedLink>;
  targets: Record<Processor, Target>;
}

export interface FurnishedLink {
  accountId: AccountId;
  programId: ProgramId;
  partnerId: PartnerId;
  linkId: LinkId;
}

export async function furnishStage(service: Service): Promise<FurnishedStage> {
  const { accountId, programId, apiKey } = await createAccount(service, { name: 'Fern & Field' });
  const links = new Map<string, FurnishedLink>();
  const partnerIds: Partial<Record<PartnerKey, string>> = {};
  for (const key of Object.keys(PARTNERS) as PartnerKey[]) {
    const link = await enrollWithLink(service, { accountId, programId }, { key, ...PARTNERS[key] });
    links.set(key, link);
    partnerIds[key] = link.partnerId;
  }
  const targets = await connectProcessors(service, accountId);
  return { accountId, programId, apiKey, partnerIds: partnerIds as Record<PartnerKey, string>, links, targets };
}

/** Adds a partner with a link of this key that leads to the shop. */
export async function enrollWithLink(
  service: Service,
  { accountId, programId }: { accountId: AccountId; programId: ProgramId },
  { key, ...partner }: { key: string; name: string; email: string; commission?: object },
): Promise<FurnishedLink> {
  const { id } = await createPartner(service, accountId, parseInput(partnerInput, partner));
  const link = await createLink(service, accountId, parseInput(linkInput, { partnerId: id, url: SHOP_URL, key }));
  return { accountId, programId, partnerId: id as PartnerId, linkId: link.id as LinkId };
}

async function connectProcessors(service: Service, accountId: AccountId): Promise<Record<Processor, Target>> {
  const targets: Partial<Record<Processor, Target>> = {};
  for (const processor of PROCESSORS) {
    const secret = `demo_${randomBase62(24)}`;
    const { id, url } = await createEndpoint(service, accountId, parseEndpoint({ processor, secrets: [secret] }));
    targets[processor] = { processor, url, secrets: await getEndpointSecrets(service, accountId, id) };
  }
  return targets as Record<Processor, Target>;
}
