import type { TestApp } from '../helpers/app.ts';
import type { Change } from './audited-changes.ts';

type Make = (method: string, path: string, id: () => Promise<string>) => Change;

/** `archiveLink`, `unarchiveLink`, `deleteLink`, and the same of every other resource. */
export function archivingOf(
  on: Make,
  resources: Readonly<Record<string, () => Promise<string>>>,
  app: TestApp,
): Record<string, Change> {
  const changes = Object.entries(resources).flatMap(([name, create]) => {
    const path = `/api/${name.toLowerCase()}s`;
    const archived = async () => {
      const id = await create();
      await app.call('POST', `${path}/${id}/archive`);
      return id;
    };
    // with a second program, all later calls would have to name one
    const gone =
      (change: Change): Change =>
      async (call) => {
        const id = await change(call);
        if (name === 'Program') await app.call('DELETE', `${path}/${id}`);
        return id;
      };
    return [
      [`archive${name}`, gone(on('POST', `${path}/:id/archive`, create))],
      [`unarchive${name}`, gone(on('POST', `${path}/:id/unarchive`, archived))],
      [`delete${name}`, on('DELETE', `${path}/:id`, create)],
    ] as const;
  });
  return Object.fromEntries(changes);
}
