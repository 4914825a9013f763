import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Response, Router } from 'express';
import type { Service } from '../app/service.ts';
import type { PayoutEnd } from '../core/payout.ts';
import { exportPayouts, type PayoutExport } from '../payouts/export.ts';
import { getPayout, listPayouts } from '../payouts/list.ts';
import { runPayouts } from '../payouts/run.ts';
import { settlePayout } from '../payouts/states.ts';
import { accountOf, apiKeyOf } from './locals.ts';

/** Every end of a payout by the word in its path. */
const ENDS: Readonly<Record<string, PayoutEnd>> = { paid: 'paid', failed: 'failed', cancel: 'canceled' };

/** `/api/payouts`: what is paid to partners together, and how it gets there. */
export function payoutRoutes(service: Service): Router {
  const router = Router();

  router.get('/', async (request, response) => {
    response.json(await listPayouts(service, accountOf(response), request.query));
  });

  router.post('/run', async (request, response) => {
    const { accountId, keyId } = apiKeyOf(response);
    response.json(await runPayouts(service, accountId, request.body ?? {}, { by: keyId }));
  });

  router.get('/export', async (request, response) => {
    await send(response, exportPayouts(service, accountOf(response), request.query));
  });

  router.get('/:id', async (request, response) => {
    response.json(await getPayout(service, accountOf(response), request.params.id));
  });

  for (const [word, end] of Object.entries(ENDS)) {
    router.post(`/:id/${word}`, async (request, response) => {
      const { accountId, keyId } = apiKeyOf(response);
      const { id } = request.params as { id: string };
      response.json(await settlePayout(service, accountId, id, end, request.body, keyId));
    });
  }

  return router;
}

/** Piece by piece, so that any number of payouts fits. */
async function send(response: Response, { contentType, fileName, chunks }: PayoutExport): Promise<void> {
  response.set({
    'Content-Type': contentType,
    'Content-Disposition': `attachment; filename="${fileName}"`,
    'Cache-Control': 'private, no-store',
  });
  await pipeline(Readable.from(chunks), response);
}
