import express from 'express';
import { type Client, clickIdFromRequest } from '../../../src/client/index.ts';
import { expressClickCookie } from '../../../src/middleware/index.ts';
import { type LocalServer, serveNode } from '../../helpers/serve-fetch.ts';
import { pageOf } from './site.ts';

/** A shop as a customer would write it: a page, a sign-up that reports a lead, and an order that reports a sale. */
export async function createShop(
  serviceUrl: string,
  refbridge: Client,
  options: { hasScript: boolean },
): Promise<LocalServer> {
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

  const { url, close } = await serveNode(app);
  return { url: url.replace('127.0.0.1', 'localhost'), close };
}
