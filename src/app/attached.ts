import { ServiceError } from '../errors.ts';

/** A resource that may have history attached. */
export interface AttachedResource {
  /** `link` */
  what: string;
  id: string;
  /** `/api/links` */
  path: string;
}

/**
 * Only what never had any history may be deleted.
 *
 * @param attached the kinds of rows that refer to the resource
 * @throws ServiceError `INVALID_STATE` when there are any
 */
export function requireNothingAttached({ what, id, path }: AttachedResource, attached: readonly string[]): void {
  if (attached.length === 0) return;
  const others = attached.slice(0, -1).join(', ');
  const kinds = `${others}${others === '' ? '' : ' and '}${attached.at(-1)}`;
  throw new ServiceError(
    'INVALID_STATE',
    `The ${what} ${id} has ${kinds}, so it cannot be deleted; archive it instead (in the API: POST ${path}/${id}/archive)`,
  );
}
