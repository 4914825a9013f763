import fastify from 'fastify';
import { type Client, clickIdFromRequest } from 'refbridge/client';
import { fastifyClickCookie } from 'refbridge/middleware';

/** A shop on Fastify: keeps the click, and reports the lead of each sign-up. */
export function createShop(refbridge: Pick<Client, 'trackLead'>, domain?: string) {
  const app = fastify();
  app.register(fastifyClickCookie, domain === undefined ? {} : { domain });
  app.get('/', async () => 'Lamps');
  app.post<{ Body: { userId: string } }>('/sign-up', async (request, reply) => {
    const { status } = await refbridge.trackLead({
      clickId: clickIdFromRequest(request),
      eventName: 'Sign up',
      customerExternalId: request.body.userId,
    });
    return reply.status(201).send({ lead: status });
  });
  return app;
}
