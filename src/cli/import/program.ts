import type { AccountApi } from '../api/account-api.ts';
import { programIdOf } from '../api/names.ts';

/** The program that an import is for, by id or name; null if none is named. @throws ServiceError like `programIdOf` */
export async function namedProgram(api: AccountApi, text: string | undefined): Promise<string | null> {
  return text === undefined ? null : programIdOf(api, text);
}
