import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** What a process has read and written since its start, from /proc/<pid>/io. Bytes. */
export interface ProcessIo {
  /** By system calls, from files and sockets, whether or not the data was cached in memory. */
  read: number;
  /** From disk. */
  fromDisk: number;
  /** To disk, immediately or soon. */
  toDisk: number;
}

export function ioOf(pid: number): ProcessIo {
  return ioIn(`/proc/${pid}/io`);
}

/** The same of the threads with this name together: zeros before the first of them starts. */
export function ioOfThreads(pid: number, name: string): ProcessIo {
  const threads = readdirSync(`/proc/${pid}/task`).map((id) => `/proc/${pid}/task/${id}`);
  return threads
    .filter((thread) => readFileSync(`${thread}/comm`, 'utf8').trim() === name)
    .map((thread) => ioIn(`${thread}/io`))
    .reduce(sumOf, { read: 0, fromDisk: 0, toDisk: 0 });
}

function ioIn(path: string): ProcessIo {
  const text = readFileSync(path, 'utf8');
  const field = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(text)?.[1]);
  return { read: field('rchar'), fromDisk: field('read_bytes'), toDisk: field('write_bytes') };
}

function sumOf(one: ProcessIo, other: ProcessIo): ProcessIo {
  return {
    read: one.read + other.read,
    fromDisk: one.fromDisk + other.fromDisk,
    toDisk: one.toDisk + other.toDisk,
  };
}

/** Resident memory in megabytes: `current`, or the highest since the start. */
export function residentMegabytesOf(pid: number, which: 'current' | 'highest' = 'current'): number {
  const field = which === 'current' ? 'VmRSS' : 'VmHWM';
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(text)?.[1] ?? 0) / 1024);
}

/** The memory that can be used without swapping, in bytes. */
export function availableMemory(): number {
  return Number(/MemAvailable:\s+(\d+)/.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1] ?? 0) * 1024;
}

/**
 * Removes the file from the system's memory, so that it is read from disk again. GNU dd gives access to
 * `posix_fadvise`.
 *
 * @returns false when the system refused
 */
export function dropFromMemory(path: string): boolean {
  try {
    execFileSync('sync', ['-f', path], { stdio: 'ignore' });
    execFileSync('dd', [`if=${path}`, 'iflag=nocache', 'count=0'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
