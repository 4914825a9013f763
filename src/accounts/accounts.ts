import type { Service } from '../app/service.ts';
import type { AccountId, ProgramId } from '../core/ids.ts';
import { isoTime } from '../core/time.ts';
import { createId } from '../ids.ts';
import { addDefaultProgram } from '../programs/programs.ts';
import { parseInput } from '../schema/parse.ts';
import { addApiKey } from './api-keys.ts';
import { findAccounts, insertAccount } from './queries/accounts.ts';
import { type AccountInput, accountInput } from './schemas.ts';

const FIRST_KEY_NAME = 'First key';

export interface NewAccount {
  accountId: AccountId;
  programId: ProgramId;
  /** In clear text, shown only once. */
  apiKey: string;
}

/**
 * Creates an account that is ready to use: with a program of the same name on default terms, and an API key.
 *
 * @throws ServiceError `VALIDATION_ERROR`
 */
export async function createAccount(service: Service, input: AccountInput): Promise<NewAccount> {
  const { name } = parseInput(accountInput, input);
  const now = service.clock();
  return service.database.write(async (tx) => {
    const accountId = createId('acc');
    await insertAccount(tx, { id: accountId, name, created_at: now });
    const programId = await addDefaultProgram(tx, accountId, name, now);
    const { key } = await addApiKey(
      tx,
      accountId,
      { name: FIRST_KEY_NAME, rateLimitPerMinute: null, scope: 'full' },
      now,
    );
    return { accountId, programId, apiKey: key };
  });
}

interface Account {
  id: AccountId;
  name: string;
  createdAt: string;
}

/** Every account of this service, the oldest first. For the operator, never over HTTP. */
export async function listAccounts(service: Service): Promise<Account[]> {
  const rows = await service.database.read(findAccounts);
  return rows.map(({ id, name, created_at }) => ({ id, name, createdAt: isoTime(created_at) }));
}
