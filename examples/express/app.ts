import express from 'express';
import { type Client, clickIdFromRequest } from 'refbridge/client';
import { expressClickCookie } from 'refbridge/middleware';

/** A shop on Express: keeps the click, and reports the lead of each sign-up. */
export function createShop(refbridge: Pick<Client, 'trackLead'>, domain?: string) {
  const app = express();
  app.use(expressClickCookie(domain === undefined ? {} : { domain }));
  app.use(express.json());
  app.get('/', (_request, response) => void response.send('Lamps'));
  app.post('/sign-up', async (request, response) => {
    const { status } = await refbridge.trackLead({
      clickId: clickIdFromRequest(request),
      eventName: 'Sign up',
      customerExternalId: request.body.userId,
    });
    response.status(201).json({ lead: status });
  });
  return app;
}
