import { executeOnServer } from './postgres-server.ts';

/** Keeps PostgreSQL from gathering statistics by itself, at an arbitrary time. */
export async function stopAutovacuum(url: string): Promise<void> {
  const tables = await executeOnServer(url, "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'");
  await alterEach(tables, url, 'SET (autovacuum_enabled = off)');
}

/** Gathers statistics by which the rows seem to be those of so many accounts. */
export async function analyzeAsIfOf(url: string, accounts: number): Promise<void> {
  const tables = await executeOnServer(
    url,
    "SELECT table_name AS name FROM information_schema.columns WHERE column_name = 'account_id' AND table_schema = 'public'",
  );
  await alterEach(tables, url, `ALTER account_id SET (n_distinct = ${accounts})`);
  await executeOnServer(url, 'ANALYZE');
}

async function alterEach(tables: unknown[], url: string, change: string): Promise<void> {
  const changes = (tables as { name: string }[]).map(({ name }) => `ALTER TABLE ${name} ${change}`);
  await executeOnServer(url, changes.join('; '));
}
