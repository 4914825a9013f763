import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';

/** The tick of `/proc/<pid>/stat`, the same on every Linux. */
const TICK_MICROSECONDS = 10_000;

/** Reads how much CPU time a server and its PostgreSQL have used so far, in microseconds; null where that cannot be read. */
export type CpuMeter = (serverPids: readonly number[]) => CpuTime | null;

export interface CpuTime {
  server: number;
  postgres: number;
}

/** For a PostgreSQL on this Linux machine; on others it reads nothing. */
export async function createCpuMeter(databaseUrl: string): Promise<CpuMeter> {
  const postmaster = await postmasterPid(databaseUrl);
  if (postmaster === null) return () => null;
  return (serverPids) => ({
    server: sumOf(serverPids.map((pid) => statOf(pid))),
    postgres: sumOf(
      allPids()
        .map((pid) => statOf(pid))
        .filter((stat) => stat?.parent === postmaster),
    ),
  });
}

async function postmasterPid(databaseUrl: string): Promise<number | null> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    return statOf(rows[0].pid)?.parent ?? null;
  } finally {
    await client.end();
  }
}

interface Stat {
  parent: number;
  microseconds: number;
}

function statOf(pid: number): Stat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // after the name, which may contain anything: state, parent, …, user time and system time
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return {
      parent: Number(fields[1]),
      microseconds: (Number(fields[11]) + Number(fields[12])) * TICK_MICROSECONDS,
    };
  } catch {
    return null;
  }
}

function allPids(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

function sumOf(stats: readonly (Stat | null)[]): number {
  return stats.reduce((sum, stat) => sum + (stat?.microseconds ?? 0), 0);
}
