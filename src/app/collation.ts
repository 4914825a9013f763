import { sortsIds } from '../storage/collation.ts';
import type { Service } from './service.ts';

/** True unless the database has a collation that ids must not be sorted by; see `sortsIds`. */
export function hasSoundCollation({ database }: Service): Promise<boolean> {
  return database.read(sortsIds);
}
