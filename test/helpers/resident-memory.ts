import { readFileSync } from 'node:fs';

/** The memory that a process of this machine holds, in mebibytes. */
export function residentMebibytes(pid: number): number {
  const [, kibibytes = ''] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) / 1024;
}
