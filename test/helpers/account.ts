import { createAccount } from '../../src/accounts/accounts.ts';
import type { Service } from '../../src/app/service.ts';
import { recordClick } from '../../src/links/click.ts';
import { createLink } from '../../src/links/links.ts';
import { createPartner } from '../../src/programs/partners.ts';
import { changeProgram } from '../../src/programs/programs.ts';
import { unique } from './story.ts';

/** An account with one partner, one link and one click through it; no HTTP. */
export interface ReferredAccount {
  accountId: string;
  programId: string;
  partnerId: string;
  clickId: string;
}

/** @param program what differs from the default terms */
export async function createReferredAccount(
  service: Service,
  program: Record<string, unknown> = {},
): Promise<ReferredAccount> {
  const { accountId, programId } = await createAccount(service, { name: 'Example Ltd' });
  if (Object.keys(program).length > 0) await changeProgram(service, accountId, programId, program);
  const email = `${unique('partner')}@example.com`;
  const partner = await createPartner(service, accountId, { name: 'Paula Partner', email });
  const link = await createLink(service, accountId, { partnerId: partner.id, url: 'https://shop.example.com/' });
  const nobody = { referrerHost: null, device: null, country: null, visitorHash: null };
  const clickId = await recordClick(service, { id: link.id, accountId }, nobody);
  return { accountId, programId, partnerId: partner.id, clickId };
}
