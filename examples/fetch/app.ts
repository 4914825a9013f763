import { type Client, clickIdFromRequest } from 'refbridge/client';
import { withClickCookie } from 'refbridge/middleware';

/** A shop as a fetch handler: keeps the click, and reports the lead of each sign-up. */
export function createShop(refbridge: Pick<Client, 'trackLead'>, domain?: string) {
  async function answer(request: Request): Promise<Response> {
    if (request.method !== 'POST') return new Response('Lamps');
    const { userId } = (await request.json()) as { userId: string };
    const { status } = await refbridge.trackLead({
      clickId: clickIdFromRequest(request),
      eventName: 'Sign up',
      customerExternalId: userId,
    });
    return Response.json({ lead: status }, { status: 201 });
  }
  return { fetch: withClickCookie(answer, domain === undefined ? {} : { domain }) };
}
