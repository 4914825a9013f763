import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const LISTED = 'https://app.example.com';
const CONFIG = '/api/embed/referrals/portal-config';

describe.each(engines)('the embedded portal on %s', (engine) => {
  let app: TestApp;
  let now = NOW;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => now } });
    const portal = { allowedOrigins: [LISTED], theme: { shadcnTheme: { light: { primary: '#0f766e' } } } };
    const body = { name: 'Friends', description: 'Refer a friend', portal };
    await app.call('PATCH', `/api/programs/${app.programId}`, { body });
  });
  afterAll(() => app.close());

  const issue = (body: object, key = app.apiKey) => app.call('POST', '/api/embed/token', { body, key });
  const tokenFor = async (email = 'portal@example.com'): Promise<string> =>
    (await issue({ partner: { email } })).body.publicToken;
  const config = (key: string | null, headers: Record<string, string> = {}) =>
    app.call('GET', CONFIG, { key, headers });

  describe('its configuration', () => {
    it('has every member, whatever was set', async () => {
      const { status, body, headers } = await config(await tokenFor());
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toBe('private, no-store');
      const { light, dark } = body.theme.shadcnTheme;
      expect(body).toEqual({
        allowedOrigins: [LISTED],
        programName: 'Friends',
        programDescription: 'Refer a friend',
        showBranding: true,
        showEarnings: true,
        showPayoutHistory: true,
        showReferralLink: true,
        showStats: true,
        theme: {
          title: 'Friends',
          description: 'Refer a friend',
          fontFamily: 'system-ui, sans-serif',
          logoUrl: '',
          shadcnTheme: { light, dark },
        },
      });
      expect(light).toMatchObject({ primary: '#0f766e', background: '#ffffff', radius: '0.5rem' });
      expect(Object.keys(dark)).toEqual(Object.keys(light));
      expect(Object.values(dark).every((value) => typeof value === 'string')).toBe(true);
    });

    it('names each property of the theme once, as it was given', async () => {
      const token = await tokenFor();
      const change = (light: object) => {
        const body = { portal: { theme: { shadcnTheme: { light } } } };
        return app.call('PATCH', `/api/programs/${app.programId}`, { body });
      };
      const { body } = await change({ '--primary': '#b45309' });
      expect(body.portal.theme.shadcnTheme.light).toEqual({ '--primary': '#b45309' });
      const { light, dark } = (await config(token)).body.theme.shadcnTheme;
      expect(light['--primary']).toBe('#b45309');
      expect(Object.keys(light).map((name) => name.replace('--', ''))).toEqual(Object.keys(dark));
      await change({ primary: '#0f766e' });
    });

    it('is always up to date with the program', async () => {
      const token = await tokenFor();
      const theme = {
        title: 'Earn with us',
        description: 'D',
        fontFamily: 'Inter',
        logoUrl: 'https://example.com/l.svg',
      };
      const change = (portal: object) => app.call('PATCH', `/api/programs/${app.programId}`, { body: { portal } });
      await change({ showEarnings: false, showBranding: false, theme });
      expect((await config(token)).body).toMatchObject({
        showEarnings: false,
        showBranding: false,
        showStats: true,
        theme,
      });
      await change({
        showEarnings: null,
        showBranding: null,
        theme: { title: null, description: null, fontFamily: null, logoUrl: null },
      });
      expect((await config(token)).body).toMatchObject({
        showEarnings: true,
        theme: { title: 'Friends', logoUrl: '' },
      });
    });

    it('requires an embed token', async () => {
      const token = await tokenFor();
      const typo = token.slice(0, -1) + (token.endsWith('a') ? 'b' : 'a');
      for (const key of [null, app.apiKey, typo, `${token}x`, 'nonsense']) {
        const answer = await config(key);
        expect(answer, String(key)).toMatchObject({ status: 401, body: { error: { code: 'UNAUTHORIZED' } } });
        const code = key === null ? '' : ', error="invalid_token"';
        expect(answer.headers.get('www-authenticate')).toBe(`Bearer realm="Refbridge"${code}`);
      }
      expect((await app.call('GET', '/api/programs', { key: token })).status).toBe(401);
      expect((await app.call('POST', '/api/embed/token', { key: token, body: { tenantId: 'team-1' } })).status).toBe(
        401,
      );
    });

    it('is refused for an expired token', async () => {
      const { publicToken, expires } = (await issue({ partner: { email: 'short@example.com' }, expiresIn: 60 })).body;
      expect(Date.parse(expires)).toBe(now + 60_000);
      now += 59_999;
      expect((await config(publicToken)).status).toBe(200);
      now += 1;
      expect((await config(publicToken)).status).toBe(401);
    });

    it('may be read by a page on a listed origin, and by no other', async () => {
      const token = await tokenFor();
      const listed = await config(token, { origin: LISTED });
      expect(listed.status).toBe(200);
      expect(listed.headers.get('access-control-allow-origin')).toBe(LISTED);
      expect(listed.headers.get('vary')).toMatch(/\bOrigin\b/);
      for (const origin of [
        'https://evil.example.com',
        'null',
        `${LISTED}.evil.example.com`,
        'http://app.example.com',
      ]) {
        const refused = await config(token, { origin });
        expect(refused, origin).toMatchObject({ status: 403, body: { error: { code: 'ORIGIN_NOT_ALLOWED' } } });
        expect(refused.headers.get('access-control-allow-origin')).toBeNull();
        expect(refused.headers.get('vary')).toMatch(/\bOrigin\b/);
      }
    });

    it('may be read by the portal page of this service itself', async () => {
      const answer = await config(await tokenFor(), { origin: 'https://refer.example.com' });
      expect(answer.status).toBe(200);
    });

    it('of one program may not be read by a page that only another program lists', async () => {
      const { apiKey: key, programId } = await app.addAccount('Listing Ltd');
      const origin = 'https://theirs.example.com';
      await app.call('PATCH', `/api/programs/${programId}`, { key, body: { portal: { allowedOrigins: [origin] } } });
      expect((await config(await tokenFor(), { origin })).status).toBe(403);
      const theirs = (await issue({ partner: { email: 'ada@example.com' } }, key)).body.publicToken;
      expect((await config(theirs, { origin })).headers.get('access-control-allow-origin')).toBe(origin);
    });

    it('lets a listed page detect an expired token, so that it can request another', async () => {
      const listed = await config('nonsense', { origin: LISTED });
      expect(listed.status).toBe(401);
      expect(listed.headers.get('access-control-allow-origin')).toBe(LISTED);
      const other = await config('nonsense', { origin: 'https://evil.example.com' });
      expect(other.headers.get('access-control-allow-origin')).toBeNull();
    });
  });

  describe('a preflight, which carries no token', () => {
    const preflight = (origin: string) =>
      app.call('OPTIONS', CONFIG, {
        key: null,
        headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' },
      });

    it('is answered for an origin that any program lists', async () => {
      const { status, headers, text } = await preflight(LISTED);
      expect({ status, text }).toEqual({ status: 204, text: '' });
      expect(headers.get('access-control-allow-origin')).toBe(LISTED);
      expect(headers.get('access-control-allow-methods')).toBe('GET');
      expect(headers.get('access-control-allow-headers')).toBe('Authorization');
      expect(headers.get('access-control-allow-credentials')).toBeNull();
      expect(headers.get('vary')).toMatch(/\bOrigin\b/);
    });

    it('is refused for any other', async () => {
      for (const origin of ['https://evil.example.com', 'null', '*']) {
        const { status, headers, body } = await preflight(origin);
        expect({ status, code: body.error.code }).toEqual({ status: 403, code: 'ORIGIN_NOT_ALLOWED' });
        expect(headers.get('access-control-allow-origin')).toBeNull();
      }
    });

    it('is refused once no program lists the origin', async () => {
      const { apiKey: key, programId } = await app.addAccount('Leaving Ltd');
      const origin = 'https://leaving.example.com';
      const list = (allowedOrigins: string[]) =>
        app.call('PATCH', `/api/programs/${programId}`, { key, body: { portal: { allowedOrigins } } });
      await list([origin, 'https://staying.example.com']);
      expect((await preflight(origin)).status).toBe(204);
      await list(['https://staying.example.com']);
      expect((await preflight(origin)).status).toBe(403);
      expect((await preflight('https://staying.example.com')).status).toBe(204);
    });
  });
});
