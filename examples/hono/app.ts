import { Hono } from 'hono';
import { type Client, clickIdFromRequest } from 'refbridge/client';
import { honoClickCookie } from 'refbridge/middleware';

/** A shop on Hono: keeps the click, and reports the lead of each sign-up. */
export function createShop(refbridge: Pick<Client, 'trackLead'>, domain?: string) {
  const app = new Hono();
  app.use(honoClickCookie(domain === undefined ? {} : { domain }));
  app.get('/', (context) => context.text('Lamps'));
  app.post('/sign-up', async (context) => {
    const { userId } = await context.req.json<{ userId: string }>();
    const { status } = await refbridge.trackLead({
      clickId: clickIdFromRequest(context.req.raw),
      eventName: 'Sign up',
      customerExternalId: userId,
    });
    return context.json({ lead: status }, 201);
  });
  return app;
}
