import { Router } from 'express';
import type { Service } from '../app/service.ts';
import { getSale, listSales } from '../payments/list-sales.ts';
import { reportRefund } from '../payments/report-refund.ts';
import { reviewSale } from '../payments/review-sale.ts';
import { accountOf, apiKeyOf } from './locals.ts';

/** `/api/sales`: what was sold and who earned it; refunds of custom checkouts; decisions about flagged sales. */
export function saleRoutes(service: Service): Router {
  const router = Router();

  router.get('/', async (request, response) => {
    response.json(await listSales(service, accountOf(response), request.query));
  });

  router.get('/:id', async (request, response) => {
    response.json(await getSale(service, accountOf(response), request.params.id));
  });

  router.post('/:id/refunds', async (request, response) => {
    const { isNew } = await reportRefund(service, accountOf(response), request.params.id, request.body);
    response.status(isNew ? 201 : 200).json(await getSale(service, accountOf(response), request.params.id));
  });

  router.post('/:id/approve', async (request, response) => {
    const { accountId, keyId } = apiKeyOf(response);
    await reviewSale(service, accountId, request.params.id, 'approved', request.body, keyId);
    response.json(await getSale(service, accountId, request.params.id));
  });

  router.post('/:id/reject', async (request, response) => {
    const { accountId, keyId } = apiKeyOf(response);
    await reviewSale(service, accountId, request.params.id, 'rejected', request.body, keyId);
    response.json(await getSale(service, accountId, request.params.id));
  });

  return router;
}
