import { useSyncExternalStore } from 'react';
import type { ImportInput } from '../../../../../client/api-types.ts';
import { ApiError, call } from '../../../../parts/api.ts';
import { createListeners } from '../../../../parts/listeners.ts';
import { guardFromReload } from '../../../ui/unsent.ts';

/** Even on a slow line, a megabyte arrives within the server's time limit for a request. */
const PART_BYTES = 1024 * 1024;

/** Together as long as a server needs for its restart. */
const ATTEMPTS = 12;
const PAUSE_MS = 5_000;

let sendingId: string | null = null;
const { subscribe, tell } = createListeners();

function setSending(id: string | null): void {
  sendingId = id;
  tell();
}

/** The import whose file is being sent, which goes on while another page is shown. */
export function useSendingId(): string | null {
  return useSyncExternalStore(subscribe, () => sendingId);
}

/** Creates an import and sends its file part by part; `onCreated` receives its id before the file is sent. */
export async function sendImport(
  body: ImportInput,
  file: File | null,
  onCreated: (id: string) => void,
): Promise<string> {
  if (file !== null) await readable(file.slice(0, 1));
  const { id } = await call('createImport', { body });
  onCreated(id);
  if (file !== null) await sendFile(id, file);
  return id;
}

async function sendFile(id: string, file: File): Promise<void> {
  setSending(id);
  const release = guardFromReload('The file has not been sent completely.');
  try {
    for (let start = 0, part = 1; start < file.size; start += PART_BYTES, part += 1) {
      await sendPart(id, part, await readable(file.slice(start, start + PART_BYTES)));
    }
  } finally {
    release();
    // the next one may have begun, if this one was canceled
    if (sendingId === id) setSending(null);
  }
}

/** Sends a part, again if the server does not take it now: one that arrives twice counts once. */
async function sendPart(id: string, part: number, body: Blob): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await call('uploadImportFile', { parameters: { id }, query: { part }, body } as never);
      return;
    } catch (error) {
      if (attempt === ATTEMPTS || !isPassing(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

function isPassing(error: unknown): boolean {
  const status = error instanceof ApiError ? error.status : null;
  return status === null || status === 429 || status >= 500;
}

/** A part of the file in memory. @throws Error when the file was changed after it was chosen: browsers refuse to read it */
async function readable(part: Blob): Promise<Blob> {
  try {
    return new Blob([await part.arrayBuffer()]);
  } catch {
    throw new Error('The file was changed or moved after it was chosen. Choose it again.');
  }
}
