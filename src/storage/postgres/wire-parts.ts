import type { Writable } from 'node:stream';
import { freeBuffer } from '../../free-buffer.ts';
import type { SqlValue } from '../database.ts';

/** A longer one is written by itself. Nearly all values are shorter. */
const LARGE_BYTES = 65_536;

/** True for a statement that pg would copy twice on its way, each time into memory that is collected much later. */
export function hasLargeValue(values: readonly SqlValue[]): boolean {
  return values.some((value) => Buffer.isBuffer(value) && value.length > LARGE_BYTES);
}

/**
 * The message that binds these values to a prepared statement, as in
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
export function bindMessage(statement: string, values: readonly SqlValue[]): Buffer {
  const encoded = values.map((value) =>
    value === null || Buffer.isBuffer(value) ? value : Buffer.from(String(value)),
  );
  const names = Buffer.from(`\0${statement}\0`);
  const valueBytes = encoded.reduce((sum, value) => sum + 4 + (value?.length ?? 0), 0);
  const length = 4 + names.length + 2 + 2 * values.length + 2 + valueBytes + 2;
  const message = Buffer.allocUnsafeSlow(1 + length);
  message.write('B');
  message.writeInt32BE(length, 1);
  names.copy(message, 5);
  let end = message.writeInt16BE(values.length, 5 + names.length);
  for (const value of values) end = message.writeInt16BE(Buffer.isBuffer(value) ? 1 : 0, end);
  end = message.writeInt16BE(values.length, end);
  for (const value of encoded) {
    end = message.writeInt32BE(value?.length ?? -1, end);
    if (value !== null) end += value.copy(message, end);
  }
  // the results as text
  message.writeInt16BE(0, end);
  return message;
}

/**
 * Writes messages at once. A large one is not copied to the others, and freed when it has been sent.
 */
export function writeParts(stream: Writable, parts: readonly Buffer[]): void {
  if (parts.every(({ length }) => length <= LARGE_BYTES)) return void stream.write(Buffer.concat(parts));
  stream.cork();
  let small: Buffer[] = [];
  const writeSmall = () => {
    if (small.length > 0) stream.write(Buffer.concat(small));
    small = [];
  };
  for (const part of parts) {
    if (part.length <= LARGE_BYTES) {
      small.push(part);
      continue;
    }
    writeSmall();
    stream.write(part, (error) => {
      // only whole buffers are freed, as those of `bindMessage` are
      if (!error) freeBuffer(part);
    });
  }
  writeSmall();
  stream.uncork();
}
