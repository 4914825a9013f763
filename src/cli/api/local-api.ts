import { json } from 'node:stream/consumers';
import packageJson from '../../../package.json' with { type: 'json' };
import { auditedService } from '../../accounts/audit-log.ts';
import { type KeyCaller, RawReply, Reply, type RequestFacts } from '../../app/route.ts';
import { parseRouteInput } from '../../app/route-input.ts';
import type { Service } from '../../app/service.ts';
import { afterStoring, watchWrites } from '../../app/stored-before-failing.ts';
import type { AccountId } from '../../core/ids.ts';
import { eraseMentions } from '../../inbox/erase-bodies.ts';
import { eraseMentionedIdentities } from '../../payments/erasure/erase-identities.ts';
import { finishSettling } from '../../payouts/settle.ts';
import { eraseFromEvents } from '../../privacy/events.ts';
import { commandLineActor } from '../command-line-actor.ts';
import { note } from '../terminal/output.ts';
import type { AccountApi, CallInput, LaterWork, OperationId } from './account-api.ts';
import { loadRoute } from './routes.ts';

/** No management route that a command calls uses the request. */
const NO_REQUEST: RequestFacts = { method: 'GET', url: '', headers: {}, address: '', isProxied: false };
const NOTE_EVERY_MS = 1_000;
/** Between two looks of a command at how far it is. */
const RECONCILE_MS = 500;
const TRANSFERS_MS = 500;

/** The API of one account of an open database. The audit log names the command line for every change. */
export function createLocalApi(service: Service, accountId: AccountId): AccountApi {
  const caller: KeyCaller = { accountId, actor: commandLineActor(), scope: 'full' };

  async function run(operationId: OperationId, { parameters = {}, query = {}, body, onProgress }: CallInput) {
    const route = await loadRoute(operationId);
    const { action } = route;
    const audited =
      action === undefined ? service : auditedService(service, { accountId, actor: caller.actor, action });
    // as it would arrive over HTTP: without undefined members
    const sent = route.rawBody ? body : plain(body);
    const input = parseRouteInput(route, { parameters, query: plain(query), body: sent });
    const watched = watchWrites(audited);
    const context = { service: watched.service, caller, request: NO_REQUEST, ...(onProgress && { onProgress }) };
    try {
      return await route.run(context, input);
    } catch (thrown) {
      throw watched.errorFor(thrown);
    }
  }

  return {
    version: async () => packageJson.version,
    async call(operationId, input = {}) {
      const answer = await run(operationId, input);
      // JSON of any size
      if (answer instanceof RawReply) return json(chunksOf(answer));
      return answer instanceof Reply ? answer.body : answer;
    },
    async *download(operationId, input) {
      const answer = await run(operationId, input);
      if (!(answer instanceof RawReply)) throw new Error(`${operationId} does not answer with a file`);
      yield* chunksOf(answer);
    },
    async finish(work) {
      try {
        return await finishWork(service, accountId, work);
      } catch (thrown) {
        throw afterStoring(thrown);
      }
    },
  };
}

async function* chunksOf({ content }: RawReply): AsyncGenerator<string | Uint8Array> {
  if (typeof content === 'string' || Buffer.isBuffer(content)) yield String(content);
  else yield* content;
}

async function finishWork(service: Service, accountId: AccountId, work: LaterWork): Promise<number | null> {
  if (work === 'erase') return eraseWhatMentions(service);
  if (work === 'reconcile') {
    const { continueReconciliations } = await import('../../reconciliation/work.ts');
    await continueReconciliations(service, { workMsMax: RECONCILE_MS, accountId });
    return null;
  }
  if (work === 'transfers') {
    const { continueTransfers } = await import('../../payouts/transfers/work.ts');
    return continueTransfers(service, { workMsMax: TRANSFERS_MS, accountId });
  }
  if (work === 'erase-from-events') await eraseFromEvents(service);
  else await finishSettling(service, accountId);
  return null;
}

async function eraseWhatMentions(service: Service): Promise<number> {
  await eraseMentionedIdentities(service);
  await eraseFromEvents(service);
  let notedAt = Date.now();
  const { erased } = await eraseMentions(service, ({ looked }) => {
    if (Date.now() - notedAt < NOTE_EVERY_MS) return;
    notedAt = Date.now();
    note(`Searched ${looked} stored webhooks…`);
  });
  return erased;
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
