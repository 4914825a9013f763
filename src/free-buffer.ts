/**
 * Gives the memory of large bytes back at once. V8 otherwise waits until 64 MiB of such memory can be collected, in each
 * thread. The bytes read as empty afterwards, so nothing may use them any more. A part of a larger buffer is left alone.
 */
export function freeBuffer({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
