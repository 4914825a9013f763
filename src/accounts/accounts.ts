import { collectChanges } from '../app/noted-changes.ts';
import type { Service } from '../app/service.ts';
import type { AuditedActor } from '../core/actor.ts';
import type { AccountId, ProgramId } from '../core/ids.ts';
import { isoTime } from '../core/time.ts';
import { createId } from '../ids.ts';
import { addDefaultProgram } from '../programs/programs.ts';
import { parseInput } from '../schema/parse.ts';
import type { Transaction } from '../storage/database.ts';
import { addApiKey } from './api-keys.ts';
import { recordChange } from './audit-log.ts';
import { findAccounts, insertAccount } from './queries/accounts.ts';
import { type AccountInput, accountInput } from './schemas.ts';

const FIRST_KEY_NAME = 'First key';

export interface NewAccount {
  accountId: AccountId;
  programId: ProgramId;
  /** In plain text, and shown only once. */
  apiKey: string;
}

/**
 * Creates an account that is ready to use, with a program of the same name on default terms and an API key.
 *
 * @param actor the actor of the first entries in the account's audit log; null for no entries
 * @throws ServiceError `VALIDATION_ERROR`
 */
export async function createAccount(
  service: Service,
  input: AccountInput,
  actor: AuditedActor | null = null,
): Promise<NewAccount> {
  const { name } = parseInput(accountInput, input);
  const now = service.clock();
  const add = async (tx: Transaction): Promise<NewAccount> => {
    const accountId = createId('acc');
    const parts = collectChanges(tx);
    await insertAccount(tx, { id: accountId, name, created_at: now });
    const programId = await addDefaultProgram(tx, accountId, name, now);
    const { key } = await addApiKey(
      tx,
      accountId,
      { name: FIRST_KEY_NAME, rateLimitPerMinute: null, scope: 'full' },
      now,
    );
    if (actor !== null) {
      const account = { resourceId: accountId, after: { id: accountId, name, createdAt: isoTime(now) } };
      const audited = { accountId, actor, action: 'account.create' };
      for (const change of [account, ...parts]) await recordChange(tx, audited, change, now);
    }
    return { accountId, programId, apiKey: key };
  };
  return service.database.write(add, { alone: true });
}

interface Account {
  id: AccountId;
  name: string;
  createdAt: string;
}

/** Every account of this service, oldest first. For the operator; never sent over HTTP. */
export async function listAccounts(service: Service): Promise<Account[]> {
  const rows = await service.database.read(findAccounts);
  return rows.map(({ id, name, created_at }) => ({ id, name, createdAt: isoTime(created_at) }));
}
