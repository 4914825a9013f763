import { z } from 'zod';
import { parseInput, text } from '../app/fields.ts';
import type { Service } from '../app/service.ts';
import { isoTime } from '../core/time.ts';
import { createId } from '../ids.ts';
import { addDefaultProgram } from '../programs/programs.ts';
import { addApiKey } from './api-keys.ts';
import { findAccounts, insertAccount } from './queries/accounts.ts';

const accountInput = z.object({ name: text() });

const FIRST_KEY_NAME = 'First key';

export interface NewAccount {
  accountId: string;
  programId: string;
  /** In clear, for this once. */
  apiKey: string;
}

/**
 * An account that can work at once: with a program named like it, on default terms, and an API key.
 *
 * @throws ServiceError `VALIDATION_ERROR`
 */
export async function createAccount(service: Service, input: { name: string }): Promise<NewAccount> {
  const { name } = parseInput(accountInput, input);
  const now = service.clock();
  return service.database.write(async (tx) => {
    const accountId = createId('acc');
    await insertAccount(tx, { id: accountId, name, created_at: now });
    const programId = await addDefaultProgram(tx, accountId, name, now);
    const { key } = await addApiKey(tx, accountId, { name: FIRST_KEY_NAME, rateLimitPerMinute: null }, now);
    return { accountId, programId, apiKey: key };
  });
}

interface Account {
  id: string;
  name: string;
  createdAt: string;
}

/** Every account of this service, the oldest first: for the operator, never over HTTP. */
export async function listAccounts(service: Service): Promise<Account[]> {
  const rows = await service.database.read(findAccounts);
  return rows.map(({ id, name, created_at }) => ({ id, name, createdAt: isoTime(created_at) }));
}
