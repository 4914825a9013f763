import type { AccountId, PartnerId, ProgramId } from '../core/ids.ts';

/** The portal that a request with an embed token, or with the session of a portal link, may use. */
export interface EmbedSession {
  /** The hash of its token. */
  hash: string;
  accountId: AccountId;
  programId: ProgramId;
  partnerId: PartnerId;
  /** Who issued the token: an id or `command line`; null where nobody did, or it is not known. */
  issuedBy: string | null;
}
