/**
 * The whole body of a response; null if it is longer. Then the rest is not read, and its connection is closed.
 *
 * @param bytesMax after decompression
 * @throws whatever `fetch` throws for a body that is cut off, or whose signal is aborted
 */
export async function readBounded({ body }: Response, bytesMax: number): Promise<Buffer<ArrayBuffer> | null> {
  const chunks: Uint8Array[] = [];
  let byteCount = 0;
  for await (const chunk of body ?? []) {
    byteCount += chunk.length;
    if (byteCount > bytesMax) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
