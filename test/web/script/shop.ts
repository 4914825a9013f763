import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { type Client, clickIdFromRequest } from '../../../src/client/index.ts';
import { expressClickCookie } from '../../../src/middleware/index.ts';
import { pageOf } from './site.ts';

export interface Shop {
  url: string;
  close(): Promise<void>;
}

/** A shop as a customer would write it: a page, a sign-up that reports a lead, and an order that reports a sale. */
export async function createShop(
  serviceUrl: string,
  refbridge: Client,
  options: { hasScript: boolean },
): Promise<Shop> {
  const form = '<form method="post" action="/sign-up"><input name="user"><button>Sign up</button></form>';
  const home = options.hasScript ? pageOf(serviceUrl, { after: form }) : `<!doctype html>${form}`;
  const app = express();
  if (!options.hasScript) app.use(expressClickCookie());
  app.use(express.urlencoded({ extended: false }));

  app.get('/', (_request, response) => void response.send(home));

  app.post('/sign-up', async (request, response) => {
    const user = String(request.body.user);
    const { status } = await refbridge.trackLead({
      clickId: clickIdFromRequest(request),
      eventName: 'Sign up',
      customerExternalId: user,
      customerEmail: `${user}@example.com`,
    });
    response.send(
      `<p id="lead">${status}</p><form method="post" action="/order?user=${user}"><button>Order</button></form>`,
    );
  });

  app.post('/order', async (request, response) => {
    const { status, invoiceId } = await refbridge.trackSale({
      clickId: clickIdFromRequest(request),
      customerExternalId: String(request.query.user),
      amount: 4900,
      currency: 'eur',
    });
    response.send(`<p id="sale">${status}</p><p id="invoice">${invoiceId}</p>`);
  });

  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
