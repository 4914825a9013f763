/** Whether the process ends when nobody reads its output any more. */
let endsWithReader = true;

/** From now on, what the command does is finished even if its reader goes away, as `grep -q` does after a match. */
export function outliveReader(): void {
  endsWithReader = false;
}

/** Handles an error of stdout. */
export function onOutputError({ code, message }: NodeJS.ErrnoException): void {
  if (code !== 'EPIPE') {
    process.stderr.write(`The output could not be written: ${message}\n`);
    process.exit(1);
  }
  // `refbridge sales list | head` closes the pipe, so there is nobody left to write to
  if (endsWithReader) process.exit();
}
