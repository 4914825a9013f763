import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { STALL_MS } from './connection-limits.ts';
import { RequestAborted } from './request-body.ts';

/**
 * Sends an answer of any size in little memory: the next chunk is requested when the client has taken the previous one.
 *
 * @throws RequestAborted when the client disconnects, or takes nothing for that long; `chunks` has ended by then
 */
export async function streamAnswer(
  response: ServerResponse,
  chunks: AsyncIterable<string | Uint8Array>,
  stalledMs = STALL_MS,
): Promise<void> {
  response.setTimeout(stalledMs, () => response.destroy());
  try {
    await pipeline(Readable.from(chunks), response);
  } catch (error) {
    throw isDisconnect(error) ? new RequestAborted() : error;
  }
}

function isDisconnect(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  // the last one if the client has gone before the first chunk
  return ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE', 'ERR_STREAM_UNABLE_TO_PIPE'].includes(code);
}
