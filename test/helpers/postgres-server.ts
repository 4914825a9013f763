import pg from 'pg';

/** The URL of another database on the same server. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** The same URL through a socket in `folder`; unchanged without a folder. */
export function throughSocket(databaseUrl: string, folder: string | null): string {
  if (folder === null) return databaseUrl;
  const url = new URL(databaseUrl);
  url.searchParams.set('host', folder);
  return url.href;
}

/** Runs one statement on its own connection; returns the rows. */
export async function executeOnServer(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
