import type { EmbedSession } from '../app/embed-session.ts';
import type { Service } from '../app/service.ts';
import type { PortalSettings } from '../core/portal.ts';
import { ServiceError } from '../errors.ts';
import { requireProgram } from '../programs/programs.ts';

/** The switches of a program's portal. */
export type PortalSwitch = Extract<keyof PortalSettings, `show${string}`>;

/** @throws ServiceError `NOT_FOUND` when the program no longer exists */
export function programOf(service: Service, { accountId, programId }: EmbedSession) {
  return service.database.read((tx) => requireProgram(tx, accountId, programId));
}

/**
 * The program's portal, if it shows this part. A hidden part is never sent, so that no other page can show it either.
 *
 * @throws ServiceError `NOT_FOUND` when the part is hidden
 */
export async function requireShown(
  service: Service,
  session: EmbedSession,
  part: PortalSwitch,
): Promise<PortalSettings> {
  const { portal } = await programOf(service, session);
  if (portal[part]) return portal;
  throw new ServiceError('NOT_FOUND', `This program's portal does not show this part: ${part} is off`);
}
