import { clickIdFromRequest, cookieNames, type RequestLike } from '../client/click-id.ts';
import type { Client } from '../client/client.ts';
import { cookieDomain } from '../middleware/cookie-domain.ts';

/** A user as Better Auth has just created it. */
export interface NewUser {
  id: string;
  email?: string | null | undefined;
  name?: string | null | undefined;
  image?: string | null | undefined;
  isAnonymous?: unknown;
}

/** The call that created the user. */
export interface SignUp {
  /** `/sign-up/email`, `/callback/:id`; undefined outside a request. */
  path?: string | undefined;
  headers?: Headers | undefined;
  request?: Request | undefined;
}

/** What a plugin's hook gets from Better Auth. */
interface HookContext extends SignUp {
  setCookie(name: string, value: string, options: { path: string; maxAge: number; domain?: string }): unknown;
}

export interface RefbridgePluginOptions {
  /** From `createClient`. */
  client: Pick<Client, 'trackLead'>;
  /** The name of the lead's event; `Sign up` by default. */
  eventName?: string;
  /** The domain of the cookie, if the middleware or the script sets it with one. */
  domain?: string;
  /** Further cookies with the click id, if the middleware or the script writes them: `['refp_id']`. */
  cookieAliases?: readonly string[];
  /**
   * Whether this user is a lead. By default everybody is, except anonymous users and those whom an administrator creates,
   * because that request carries the administrator's cookie.
   */
  isLead?: (user: NewUser, signUp: SignUp) => boolean;
}

/** The shape of Better Auth's plugins, as far as this one uses it. */
export interface RefbridgePlugin {
  id: 'refbridge';
  init(): {
    options: {
      databaseHooks: { user: { create: { after(user: NewUser, context: HookContext | null): Promise<void> } } };
    };
  };
}

/**
 * A plugin for Better Auth: reports a lead for each user who signs up with a click, by e-mail or through a provider. The
 * cookie is deleted only once the service has the lead; after an outage it is still there for the first sale.
 *
 * A sign-up never fails because of it, and waits for the service no longer than the client's `timeoutMs`.
 */
export function refbridge(options: RefbridgePluginOptions): RefbridgePlugin {
  const { client, eventName = 'Sign up', domain, cookieAliases, isLead = isSignedUp } = options;

  async function reportLead(user: NewUser, context: HookContext | null): Promise<void> {
    const request = requestOf(context);
    if (context === null || request === null || !isLead(user, context)) return;
    const clickId = clickIdFromRequest({ headers: request.headers }, { cookieAliases });
    if (clickId === null) return;
    const result = await client.trackLead({
      clickId,
      eventName,
      customerExternalId: user.id,
      customerEmail: user.email ?? null,
      customerName: user.name ?? null,
      customerAvatar: user.image ?? null,
    });
    if (!result.ok) return;
    for (const name of cookieNames({ cookieAliases })) deleteCookie(context, name, cookieDomain(request, domain));
  }

  return {
    id: 'refbridge',
    init: () => ({
      options: {
        databaseHooks: {
          user: {
            create: {
              async after(user, context) {
                // a hook that throws would fail the sign-up; the client itself never does
                await reportLead(user, context).catch(() => undefined);
              },
            },
          },
        },
      },
    }),
  };
}

function isSignedUp(user: NewUser, { path }: SignUp): boolean {
  return !user.isAnonymous && path?.startsWith('/admin/') !== true;
}

function requestOf(context: HookContext | null): RequestLike | null {
  const headers = context?.headers ?? context?.request?.headers;
  return headers === undefined ? null : { headers, url: context?.request?.url };
}

/** With and without the domain, because each is a cookie of its own. */
function deleteCookie(context: HookContext, name: string, domain: string | null): void {
  const expired = { path: '/', maxAge: 0 };
  context.setCookie(name, '', expired);
  if (domain !== null) context.setCookie(name, '', { ...expired, domain });
}
