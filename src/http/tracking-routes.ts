import { Router } from 'express';
import type { Service } from '../app/service.ts';
import { type TrackedLead, trackLead } from '../payments/lead.ts';
import { type TrackedSale, trackSale } from '../payments/sale.ts';
import { accountOf } from './locals.ts';

/** `/api/track`: conversions reported by the caller's backend (specification, section 4). */
export function trackingRoutes(service: Service): Router {
  const router = Router();

  router.post('/lead', async (request, response) => {
    response.json(leadBody(await trackLead(service, accountOf(response), request.body)));
  });

  router.post('/sale', async (request, response) => {
    response.json(saleBody(await trackSale(service, accountOf(response), request.body)));
  });

  return router;
}

/** Specification 2.2. */
function leadBody(lead: TrackedLead) {
  return {
    eventName: lead.eventName,
    click: { id: lead.clickId },
    link: { id: lead.linkId, domain: lead.domain, key: lead.key, url: lead.url, programId: lead.programId },
    customer: { externalId: lead.externalId, email: lead.email, name: lead.name },
  };
}

/** Specification 2.4; the status of an answer is always that of a new sale. */
function saleBody({ sale, customer }: TrackedSale) {
  return {
    eventName: sale.eventName,
    customer: { externalId: customer.externalId, email: customer.email, name: customer.name },
    sale: {
      id: sale.id,
      amount: sale.amount,
      currency: sale.currency,
      commissionAmount: sale.commissionAmount,
      status: 'pending',
      invoiceId: sale.invoiceId,
      paymentProcessor: sale.paymentProcessor,
    },
  };
}
