import { claimKeys } from '../../app/claims.ts';
import { noteChange } from '../../app/noted-changes.ts';
import type { Service } from '../../app/service.ts';
import { type Actor, actorName } from '../../core/actor.ts';
import type { AccountId } from '../../core/ids.ts';
import { shortIdOf } from '../../core/short-id.ts';
import { notFound, ServiceError } from '../../errors.ts';
import { OTHER_KEY } from '../../programs/payout-details.ts';
import type { PayoutDetailsView, RailName, TransferRailName } from '../../rails/contract/rail.ts';
import { RAIL_FORMS } from '../../rails/forms.ts';
import { RAILS, TRANSFER_RAILS } from '../../rails/index.ts';
import type { Transaction } from '../../storage/database.ts';
import { NO_DETAILS, openedDetails } from '../file-contents.ts';
import { getPayoutInFull } from '../list.ts';
import { findPayoutsToSend, type PayoutToSend } from '../queries/files.ts';
import { findConnection } from '../queries/rail-connections.ts';
import { findTransfer, insertTransfer, lookAgain } from '../queries/transfers.ts';
import type { PayoutInFull } from '../schemas.ts';
import { isSamePlatform, requireConnection } from './connections.ts';

/** A payout whose partner is paid by transfers. */
interface Sendable {
  payout: PayoutToSend;
  rail: TransferRailName;
  destination: string;
}

/**
 * Has a payout sent by the provider that its partner has chosen: the amount, the account and the entries are fixed from
 * here on, and a server process orders the payment within a second. Repeated for a payout that is being sent or was
 * sent, it changes nothing; for one that is held, the payment is looked for again.
 *
 * @throws ServiceError `NOT_FOUND`; `INVALID_STATE` when the payout cannot be sent, or the provider would not pay the
 *   partner now; `CONFLICT` when something changed meanwhile; `UNAVAILABLE` when the provider does not answer
 */
export async function sendPayout(
  service: Service,
  { accountId, actor }: { accountId: AccountId; actor: Actor },
  id: string,
): Promise<PayoutInFull> {
  const { database, clock } = service;
  const known = await database.read((tx) => findTransfer(tx, accountId, id));
  if (known?.status === 'held') await database.write((tx) => lookAgain(tx, known.payoutId, clock()), { alone: true });
  if (known !== undefined && known.status !== 'failed') return getPayoutInFull(service, accountId, id);

  const { payout, rail, destination } = await database.read((tx) => requireSendable(service, tx, accountId, id));
  const { connection, access } = await requireConnection(service, accountId, rail);
  const flaw = await (await TRANSFER_RAILS[rail].client()).flawOf(access, destination);
  if (flaw !== null)
    throw new ServiceError(
      'INVALID_STATE',
      `${payout.partnerName} cannot be paid by ${RAIL_FORMS[rail].title}: ${flaw}`,
    );

  await database.write(
    async (tx) => {
      const { partnerId, currency } = payout;
      await tx.claim(() => [
        claimKeys.payoutFiles(accountId),
        claimKeys.payout(partnerId, currency),
        claimKeys.rail(accountId, rail),
      ]);
      // another request was faster
      if ((await findTransfer(tx, accountId, id)) !== undefined) return;
      const now = await requireSendable(service, tx, accountId, id);
      const connected = await findConnection(tx, accountId, rail);
      if (now.destination !== destination || connected === undefined || !isSamePlatform(connected, connection)) {
        throw new ServiceError('CONFLICT', `How ${payout.partnerName} is paid changed meanwhile: try again`);
      }
      const { platformId, isLive } = connection;
      const { id: payoutId, amount } = now.payout;
      const order = { payoutId, accountId, rail, platformId, isLive, destination, amount, currency };
      await insertTransfer(tx, { ...order, createdAt: clock(), createdBy: actorName(actor) });
      const masked = RAILS[rail].masked(TRANSFER_RAILS[rail].detailsOf(destination));
      noteChange(tx, { resourceId: payoutId, after: { sentBy: rail, amount, currency, ...masked } });
    },
    { alone: true },
  );
  return getPayoutInFull(service, accountId, id);
}

/** @throws ServiceError `NOT_FOUND`; `INVALID_STATE` */
async function requireSendable(service: Service, tx: Transaction, accountId: AccountId, id: string): Promise<Sendable> {
  const [payout] = await findPayoutsToSend(tx, accountId, [id]);
  if (payout === undefined) throw notFound('payout', id);
  const { amount, currency, status, fileId, partnerName, payoutDetails, sealedDetails } = payout;
  const refuse = (message: string) => new ServiceError('INVALID_STATE', message);
  if (status !== 'processing') throw refuse(`Payout ${id} is ${status}; only a payout that is processing can be sent`);
  if (fileId !== null) throw refuse(`Payout ${id} is in the file ${fileId}: cancel that file first if it was not sent`);
  if (payoutDetails === null || sealedDetails === null) throw refuse(NO_DETAILS);
  const { rail } = JSON.parse(payoutDetails) as PayoutDetailsView;
  if (!isTransferRail(rail)) {
    const message = `${partnerName} is paid by ${rail}, which makes files (in the API: POST /api/payouts/files)`;
    throw refuse(message);
  }
  const details = openedDetails(service, sealedDetails);
  if (details === null) throw refuse(OTHER_KEY);
  const refusal = RAILS[rail].refusalOf({ shortId: shortIdOf(payout.id), amount, currency }, details);
  if (refusal !== null) throw refuse(refusal);
  return { payout, rail, destination: TRANSFER_RAILS[rail].accountOf(details) };
}

function isTransferRail(rail: RailName): rail is TransferRailName {
  return Object.hasOwn(TRANSFER_RAILS, rail);
}
