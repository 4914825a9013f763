import type { ImportInput } from '../../../../../client/api-types.ts';
import { call } from '../../../../parts/api.ts';

/** Even on a slow line, a megabyte arrives within the server's time limit for a request. */
const PART_BYTES = 1024 * 1024;

/** Creates an import and sends its file part by part; `onCreated` receives its id before the file is sent. */
export async function sendImport(
  body: ImportInput,
  file: File | null,
  onCreated: (id: string) => void,
): Promise<string> {
  const { id } = await call('createImport', { body });
  onCreated(id);
  for (let start = 0, part = 1; file !== null && start < file.size; start += PART_BYTES, part += 1) {
    const slice = file.slice(start, start + PART_BYTES);
    await call('uploadImportFile', { parameters: { id }, query: { part }, body: slice } as never);
  }
  return id;
}
