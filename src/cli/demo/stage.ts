import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount } from '../../accounts/accounts.ts';
import type { Service } from '../../app/service.ts';
import type { AccountId } from '../../core/ids.ts';
import { PROCESSORS, type Processor } from '../../core/processor.ts';
import { parseEndpoint } from '../../deliveries/endpoint-fields.ts';
import { createEndpoint, getEndpointSecrets } from '../../deliveries/endpoints.ts';
import { randomBase62 } from '../../ids.ts';
import { createLink } from '../../links/links.ts';
import { linkInput } from '../../links/schemas.ts';
import { readConfig } from '../../process/config.ts';
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

/** A running server on a fresh database, with partners, links and an endpoint of every processor. */
export interface Stage {
  url: string;
  apiKey: string;
  partnerIds: Record<PartnerKey, string>;
  targets: Record<Processor, Target>;
  /** Stops the server and deletes the database. */
  close(): Promise<void>;
}

export async function setStage(port: number | undefined): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'refbridge-demo-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const listenPort = port ?? (await freePort());
  const url = `http://127.0.0.1:${listenPort}`;
  // Ignores the environment, so that the demo is the same everywhere.
  const config = readConfig({
    PORT: String(listenPort),
    HOST: '127.0.0.1',
    BASE_URL: url,
    DATABASE_URL: `file:${join(folder, 'refbridge.db')}`,
    LOG_LEVEL: 'error',
    LOG_FORMAT: 'pretty',
  });
  try {
    const { startServer } = await import('../../main.ts');
    const running = await startServer(config);
    const { accountId, apiKey } = await createAccount(running.service, { name: 'Fern & Field' });
    return {
      url,
      apiKey,
      partnerIds: await enrollPartners(running.service, accountId),
      targets: await connectProcessors(running.service, accountId),
      async close() {
        await running.close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

async function enrollPartners(service: Service, accountId: AccountId): Promise<Record<PartnerKey, string>> {
  const ids: Partial<Record<PartnerKey, string>> = {};
  for (const key of Object.keys(PARTNERS) as PartnerKey[]) {
    const { id } = await createPartner(service, accountId, parseInput(partnerInput, PARTNERS[key]));
    await createLink(service, accountId, parseInput(linkInput, { partnerId: id, url: SHOP_URL, key }));
    ids[key] = id;
  }
  return ids as Record<PartnerKey, string>;
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

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('There is no free port'));
        else resolve(address.port);
      });
    });
  });
}
