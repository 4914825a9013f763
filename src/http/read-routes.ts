import { Router } from 'express';
import type { Service } from '../app/service.ts';
import { retryDelivery } from '../deliveries/retry.ts';
import { getDelivery, listDeliveries } from '../inbox/list.ts';
import { getCustomer, listLeads } from '../payments/list-leads.ts';
import { getSale } from '../payments/list-sales.ts';
import { attributeByHand, getParkedPayment, listParkedPayments } from '../payments/parked-payments.ts';
import { accountOf } from './locals.ts';

/** `/api/customers`, by the caller's own id. */
export function customerRoutes(service: Service): Router {
  const router = Router();
  router.get('/:externalId', async (request, response) => {
    response.json(await getCustomer(service, accountOf(response), request.params.externalId));
  });
  return router;
}

/** `/api/leads` */
export function leadRoutes(service: Service): Router {
  const router = Router();
  router.get('/', async (request, response) => {
    response.json(await listLeads(service, accountOf(response), request.query));
  });
  return router;
}

/** `/api/deliveries` */
export function deliveryRoutes(service: Service): Router {
  const router = Router();
  router.get('/', async (request, response) => {
    response.json(await listDeliveries(service, accountOf(response), request.query));
  });
  router.get('/:id', async (request, response) => {
    response.json(await getDelivery(service, accountOf(response), request.params.id));
  });
  router.post('/:id/retry', async (request, response) => {
    await retryDelivery(service, accountOf(response), request.params.id);
    response.json(await getDelivery(service, accountOf(response), request.params.id));
  });
  return router;
}

/** `/api/parked-payments` */
export function parkedPaymentRoutes(service: Service): Router {
  const router = Router();
  router.get('/', async (request, response) => {
    response.json(await listParkedPayments(service, accountOf(response), request.query));
  });
  router.get('/:id', async (request, response) => {
    response.json(await getParkedPayment(service, accountOf(response), request.params.id));
  });
  router.post('/:id/attribute', async (request, response) => {
    const { saleId } = await attributeByHand(service, accountOf(response), request.params.id, request.body);
    response.json(await getSale(service, accountOf(response), saleId));
  });
  return router;
}
