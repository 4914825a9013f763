import { createAccount } from '../../src/accounts/accounts.ts';
import type { Service } from '../../src/app/service.ts';
import type { AccountId, ClickId, ProgramId } from '../../src/core/ids.ts';
import { recordClick } from '../../src/links/click.ts';
import { createLink } from '../../src/links/links.ts';
import { linkInput } from '../../src/links/schemas.ts';
import { createPartner } from '../../src/programs/partners.ts';
import { changeProgram } from '../../src/programs/programs.ts';
import { partnerInput } from '../../src/programs/schemas.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { asId } from './ids.ts';
import { unique } from './story.ts';

/** An account with one partner, one link and one click through it; no HTTP. */
export interface ReferredAccount {
  accountId: AccountId;
  apiKey: string;
  programId: ProgramId;
  partnerId: string;
  clickId: ClickId;
}

/**
 * @param program overrides of the default terms
 * @param fields of the partner, beside the name and address
 */
export async function createReferredAccount(
  service: Service,
  program: Record<string, unknown> = {},
  fields: Record<string, unknown> = {},
): Promise<ReferredAccount> {
  const { accountId, apiKey, programId } = await createAccount(service, { name: 'Example Ltd' });
  if (Object.keys(program).length > 0) await changeProgram(service, accountId, programId, program);
  const email = `${unique('partner')}@example.com`;
  const partner = await createPartner(
    service,
    accountId,
    parseInput(partnerInput, { name: 'Paula Partner', email, ...fields }),
  );
  const link = await createLink(
    service,
    accountId,
    parseInput(linkInput, { partnerId: partner.id, url: 'https://shop.example.com/' }),
  );
  const nobody = { referrerHost: null, device: null, country: null, visitorHash: null };
  const clickId = await recordClick(
    service,
    { id: asId(link.id), accountId, programId, partnerId: asId(partner.id) },
    nobody,
  );
  return { accountId, apiKey, programId, partnerId: partner.id, clickId };
}
