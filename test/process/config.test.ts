import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/process/config.ts';
import { ConfigError } from '../../src/process/config-error.ts';

const KEY_BASE64 = Buffer.alloc(32, 5).toString('base64');

function problemsOf(environment: NodeJS.ProcessEnv): Record<string, string> {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) {
      return Object.fromEntries(error.problems.map(({ name, message }) => [name, message]));
    }
    throw error;
  }
  return {};
}

describe('the configuration', () => {
  it('has defaults for everything: an empty environment is a server on port 3000 with a SQLite file', () => {
    expect(readConfig({})).toMatchObject({
      port: 3000,
      host: '0.0.0.0',
      baseUrl: 'http://localhost:3000',
      database: { engine: 'sqlite', path: `${process.cwd()}/data/refbridge.db` },
      secretKey: null,
      secretKeyFallbacks: [],
      rateLimitPerMinute: 600,
      deliveryRetentionDays: 90,
      parkedDays: 90,
      trustProxy: false,
      logLevel: 'info',
      logFormat: 'json',
      metrics: { kind: 'off' },
      sqliteCacheMb: 20,
    });
  });

  it('treats empty variables as not set', () => {
    expect(readConfig({ PORT: '', BASE_URL: '  ', SECRET_KEY: '' })).toEqual(readConfig({}));
  });

  it('builds the base URL from the port, and removes the trailing slash and final dot of a given one', () => {
    expect(readConfig({ PORT: '8080' }).baseUrl).toBe('http://localhost:8080');
    // as browsers write it in Origin
    expect(readConfig({ PORT: '80' }).baseUrl).toBe('http://localhost');
    expect(readConfig({ BASE_URL: 'https://Refer.example.com/' }).baseUrl).toBe('https://refer.example.com');
    expect(readConfig({ BASE_URL: 'https://refer.example.com.' }).baseUrl).toBe('https://refer.example.com');
  });

  it('reports every problem at once, each with advice', () => {
    const problems = problemsOf({
      PORT: '99999',
      BASE_URL: 'refer.example.com',
      DATABASE_URL: 'mysql://example.com/db',
      SECRET_KEY: 'hunter2',
      RATE_LIMIT_PER_MINUTE: '0',
      DELIVERY_RETENTION_DAYS: '-1',
      PARKED_DAYS: 'ninety',
      TRUST_PROXY: 'true',
      LOG_LEVEL: 'loud',
      LOG_FORMAT: 'xml',
      METRICS: 'short',
      SQLITE_CACHE_MB: '2',
      OIDC_ISSUER: 'accounts.example.com',
    });
    expect(Object.keys(problems).sort()).toEqual([
      'BASE_URL',
      'DATABASE_URL',
      'DELIVERY_RETENTION_DAYS',
      'LOG_FORMAT',
      'LOG_LEVEL',
      'METRICS',
      'OIDC_CLIENT_ID',
      'OIDC_CLIENT_SECRET',
      'OIDC_ISSUER',
      'PARKED_DAYS',
      'PORT',
      'RATE_LIMIT_PER_MINUTE',
      'SECRET_KEY',
      'SQLITE_CACHE_MB',
      'TRUST_PROXY',
    ]);
    expect(problems.PORT).toBe('must be a whole number from 0 to 65535');
    expect(problems.LOG_LEVEL).toBe('must be one of debug, info, warn, error, silent');
  });

  it('never repeats the value of a secret', () => {
    const environment = {
      SECRET_KEY: 'hunter2-hunter2',
      METRICS: 'swordfish',
      DATABASE_URL: 'postgress://u:pa55@h/db',
    };
    const text = JSON.stringify(problemsOf(environment));
    expect(text).toContain('SECRET_KEY');
    for (const secret of ['hunter2', 'swordfish', 'pa55']) expect(text).not.toContain(secret);
  });

  it('requires SECRET_KEY with PostgreSQL, where a key file could not serve several processes', () => {
    const DATABASE_URL = 'postgres://refbridge@db.example.com/refbridge';
    expect(problemsOf({ DATABASE_URL })).toEqual({ SECRET_KEY: expect.stringContaining('required with PostgreSQL') });
    expect(readConfig({ DATABASE_URL, SECRET_KEY: KEY_BASE64 }).database.engine).toBe('postgres');
  });

  it.each([
    'postgres://refbridge:pa/55@db.example.com:5432/refbridge',
    'postgres://refbridge:12/pa55@db.example.com:5432/refbridge',
    'postgres://refbridge:pa#55@db.example.com/refbridge',
    'postgres://refbridge:pa?55@db.example.com/refbridge',
    'postgres://refbridge:pa55%ff@db.example.com/refbridge',
    'postgres://refbridge:pa55@db.example.com:port/refbridge',
    'postgres://refbridge:pa55@db.example.com:99999/refbridge',
  ])('refuses the PostgreSQL URL %s, and says how to write a password', (url) => {
    const problems = problemsOf({ DATABASE_URL: url, SECRET_KEY: KEY_BASE64 });
    expect(problems).toEqual({ DATABASE_URL: expect.stringContaining('in the password, write % as %25, / as %2F') });
    const replica = { DATABASE_URL: 'postgres://db.example.com/refbridge', DATABASE_READ_URL: url };
    expect(problemsOf({ ...replica, SECRET_KEY: KEY_BASE64 })).toEqual({
      DATABASE_READ_URL: expect.stringContaining('in the password, write % as %25, / as %2F'),
    });
    expect(JSON.stringify(problems)).not.toContain('55@');
  });

  it.each([
    'postgres://refbridge:pa%2F55@db.example.com:5432/refbridge',
    'postgres://refbridge:pa%40s@s 100%@db.example.com/refbridge',
    'postgresql://[::1]:5432/refbridge?user=ref@bridge',
    'postgres:///refbridge',
    'postgres://refbridge:pa55@/refbridge?host=/var/run/postgresql',
    'postgres://refbridge@%2Fvar%2Frun%2Fpostgresql/refbridge?pgbouncer=true',
    'postgres://db.example.com/refbridge?sslmode=verify-full&sslrootcert=/none.pem',
  ])('accepts the PostgreSQL URL %s', (url) => {
    const { database, replica } = readConfig({ DATABASE_URL: url, DATABASE_READ_URL: url, SECRET_KEY: KEY_BASE64 });
    expect([database, replica?.url]).toEqual([{ engine: 'postgres', url }, url]);
  });

  describe('of single sign-on', () => {
    const client = { OIDC_CLIENT_ID: 'refbridge', OIDC_CLIENT_SECRET: 'correct-horse' };

    it('is complete or absent', () => {
      expect(readConfig({}).singleSignOn).toBeNull();
      const OIDC_ISSUER = 'https://accounts.example.com/tenant/';
      const singleSignOn = { issuer: OIDC_ISSUER, clientId: 'refbridge', clientSecret: 'correct-horse' };
      expect(readConfig({ ...client, OIDC_ISSUER }).singleSignOn).toEqual(singleSignOn);
      expect(Object.keys(problemsOf({ OIDC_ISSUER }))).toEqual(['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET']);
      expect(problemsOf(client)).toEqual({ OIDC_ISSUER: expect.stringContaining('set all three, or none') });
      expect(JSON.stringify(problemsOf({ ...client, PORT: 'x' }))).not.toContain('correct-horse');
    });

    it.each(['http://localhost:8080', 'http://127.0.0.1:8080/realms/a', 'http://[::1]:8080'])(
      'trusts an issuer on this machine without TLS: %s',
      (OIDC_ISSUER) => expect(readConfig({ ...client, OIDC_ISSUER }).singleSignOn?.issuer).toBe(OIDC_ISSUER),
    );

    it.each([
      'http://accounts.example.com',
      'http://127.0.0.1.example.com',
      'https://user:password@accounts.example.com',
      'https://accounts.example.com/?tenant=a',
      'https://accounts.example.com/.well-known/openid-configuration',
      'ftp://accounts.example.com',
    ])('refuses the issuer %s', (OIDC_ISSUER) => {
      expect(Object.keys(problemsOf({ ...client, OIDC_ISSUER }))).toEqual(['OIDC_ISSUER']);
    });
  });

  it.each([
    ['base64', KEY_BASE64],
    ['base64url without padding', Buffer.alloc(32, 255).toString('base64url')],
    ['hexadecimal', Buffer.alloc(32, 5).toString('hex')],
  ])('reads a 32-byte secret key in %s', (_, SECRET_KEY) => {
    expect(readConfig({ SECRET_KEY }).secretKey).toHaveLength(32);
  });

  it('reads previous secret keys, and refuses the whole list for one that is none', () => {
    const SECRET_KEY_FALLBACKS = `${KEY_BASE64}, ${Buffer.alloc(32, 5).toString('hex')},`;
    expect(readConfig({ SECRET_KEY_FALLBACKS }).secretKeyFallbacks.map((key) => key.length)).toEqual([32, 32]);
    expect(problemsOf({ SECRET_KEY_FALLBACKS: `${KEY_BASE64},short` })).toHaveProperty('SECRET_KEY_FALLBACKS');
  });

  it.each([
    ['16 bytes', Buffer.alloc(16).toString('base64')],
    ['33 bytes', Buffer.alloc(33).toString('base64')],
    ['63 hexadecimal digits', 'a'.repeat(63)],
  ])('refuses a secret key of %s', (_, SECRET_KEY) => {
    expect(problemsOf({ SECRET_KEY })).toHaveProperty('SECRET_KEY');
  });

  it.each([
    ['file:/var/lib/refbridge.db', '/var/lib/refbridge.db'],
    ['file:///var/lib/refbridge.db', '/var/lib/refbridge.db'],
    ['file:./x.db', `${process.cwd()}/x.db`],
    ['file: ./x.db', `${process.cwd()}/x.db`],
    ['file:./a b%20?c#d.db', `${process.cwd()}/a b%20?c#d.db`],
    ['file:///a%20b/x.db%20', '/a b/x.db'],
  ])('reads the SQLite file from %s', (DATABASE_URL, path) => {
    expect(readConfig({ DATABASE_URL }).database).toEqual({ engine: 'sqlite', url: DATABASE_URL, path });
  });

  it.each(['file://./data/x.db', 'file:///x%00.db', 'file:./x\0.db', 'file:///x%ZZ.db', 'file:///a%2Fx.db', 'file: '])(
    'refuses DATABASE_URL=%j',
    (DATABASE_URL) => {
      expect(problemsOf({ DATABASE_URL })).toEqual({ DATABASE_URL: expect.stringContaining('file:./path/to') });
    },
  );

  it.each([
    ['1', 1],
    ['0', false],
    ['false', false],
    ['loopback, 10.0.0.0/8', 'loopback, 10.0.0.0/8'],
    ['2001:db8::/32', '2001:db8::/32'],
  ])('accepts TRUST_PROXY=%s', (TRUST_PROXY, expected) => {
    expect(readConfig({ TRUST_PROXY }).trustProxy).toBe(expected);
  });

  it.each(['caddy', '10.0.0.0/99', '10.0.0.999', 'loopback,'])('refuses TRUST_PROXY=%s', (TRUST_PROXY) => {
    expect(problemsOf({ TRUST_PROXY })).toEqual({ TRUST_PROXY: expect.stringContaining('their addresses') });
  });
});
