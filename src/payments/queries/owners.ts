import type { SaleTerms } from '../../core/commission.ts';
import type { AccountId, ClickId, CustomerId, LinkId, PartnerId, ProgramId } from '../../core/ids.ts';
import type { PaymentProcessor } from '../../core/processor.ts';
import type { Commission, ProgramTerms } from '../../core/terms.ts';
import type { Transaction } from '../../storage/database.ts';

/** Who a payment belongs to: a partner with its terms, and the customer, click and link if known. */
export interface Owner {
  customerId: CustomerId | null;
  externalId: string | null;
  email: string | null;
  name: string | null;
  clickId: ClickId | null;
  linkId: LinkId | null;
  partnerId: PartnerId;
  partnerEmail: string;
  programId: ProgramId;
  /** The commission is the most specific one: the link's, then the partner's, then the program's. */
  terms: SaleTerms;
  selfReferral: ProgramTerms['selfReferral'];
  /** When the partner or the program was archived; 0 for a deleted partner. Payments from then on earn nothing. */
  archivedAt: number | null;
}

/** A click's owner, with the domain, key and destination of its link. */
export interface ClickOwner extends Owner {
  clickId: ClickId;
  linkId: LinkId;
  link: { domain: string; key: string; url: string };
}

interface OwnerRow extends Omit<Owner, 'terms'> {
  /** Commission overrides and the program's own, as JSON. */
  linkCommission: string | null;
  partnerCommission: string | null;
  programCommission: string;
  durationMonths: number | null;
  holdDays: number;
  amountBasis: SaleTerms['amountBasis'];
}

type ClickOwnerRow = OwnerRow & { clickId: ClickId; linkId: LinkId; domain: string; key: string; url: string };

const TERMS = `
  p.id AS "partnerId", p.email AS "partnerEmail", p.commission AS "partnerCommission", g.id AS "programId",
  g.commission AS "programCommission", g.duration_months AS "durationMonths", g.hold_days AS "holdDays",
  g.amount_basis AS "amountBasis", g.self_referral AS "selfReferral",
  CASE WHEN p.deleted_at IS NOT NULL THEN 0 WHEN p.archived_at < g.archived_at THEN p.archived_at
    ELSE COALESCE(g.archived_at, p.archived_at) END AS "archivedAt"`;

/** A partner without history may be deleted meanwhile: whichever unit comes second sees what the first one did. */
const KEPT = '/* postgres: FOR KEY SHARE OF p */';

const CUSTOMER = `
  SELECT c.id AS "customerId", c.external_id AS "externalId", c.email AS "email", c.name AS "name",
    c.click_id AS "clickId", c.link_id AS "linkId", l.commission AS "linkCommission", ${TERMS}
  FROM customers c
  JOIN partners p ON p.id = c.partner_id
  JOIN programs g ON g.id = c.program_id
  LEFT JOIN links l ON l.id = c.link_id`;
const OF_CUSTOMER = `${CUSTOMER} WHERE c.account_id = @accountId`;

const BY_EXTERNAL_ID = `${OF_CUSTOMER} AND c.external_id = @externalId ${KEPT}`;

/**
 * The account is compared as an expression; otherwise SQLite would use the index for lists, and the foreign key of the sale
 * would also read that of the primary key: two to three more pages in a large file.
 */
const byId = (id: string) => `${CUSTOMER} WHERE c.id = ${id} AND c.account_id || '' = @accountId ${KEPT}`;

const BY_CUSTOMER = byId('@customerId');
// On SQLite, the first query reads what the sale reads anyway, and spares it the index of external ids. PostgreSQL skips
// it, because its time there is longer than that of another look-up in memory.
const BY_NAMED_PAYER = byId(`COALESCE(
  (SELECT n.id FROM identities i JOIN customers n ON n.id = i.customer_id
   WHERE i.account_id = @accountId AND i.processor = @processor AND i.kind = 'customer' AND i.value = @processorCustomerId
     AND n.external_id || '' = @externalId /* postgres: AND FALSE */),
  (SELECT n.id FROM customers n WHERE n.account_id = @accountId AND n.external_id = @externalId))`);
// on PostgreSQL, the few are sorted, as by `walkOfFew`
const BY_EMAIL = `${OF_CUSTOMER} AND c.email_lower = @email AND g.email_matching = 1
  ORDER BY c.id /* postgres: || '' */ LIMIT 1 ${KEPT}`;
// MIN instead of ORDER BY, for which PostgreSQL would begin with the program and sort its customers
const BY_EMAIL_IN_PROGRAM = `${OF_CUSTOMER} AND g.email_matching = 1 AND c.id = (
  SELECT MIN(m.id) FROM customers m
  WHERE m.account_id = @accountId AND m.email_lower = @email AND m.program_id = @programId) ${KEPT}`;

const BY_CLICK = `
  SELECT c.id AS "customerId", c.external_id AS "externalId", c.email AS "email", c.name AS "name",
    k.id AS "clickId", l.id AS "linkId", l.commission AS "linkCommission", l.domain, l.key, l.url, ${TERMS}
  FROM clicks k
  JOIN links l ON l.id = k.link_id
  JOIN partners p ON p.id = l.partner_id
  JOIN programs g ON g.id = l.program_id
  LEFT JOIN customers c ON c.click_id = k.id AND c.external_id IS NULL
  WHERE k.id = @clickId AND k.account_id = @accountId AND l.deleted_at IS NULL`;

const OF_PARTNER = `
  SELECT NULL AS "customerId", NULL AS "externalId", NULL AS "email", NULL AS "name", NULL AS "clickId",
    NULL AS "linkId", NULL AS "linkCommission", ${TERMS}
  FROM partners p
  JOIN programs g ON g.id = p.program_id`;

const BY_DISCOUNT_CODE = `${OF_PARTNER}
  JOIN partner_discount_codes d ON d.partner_id = p.id
  WHERE d.account_id = @accountId AND d.code_lower = @code AND p.deleted_at IS NULL ${KEPT}`;

const BY_PARTNER = `${OF_PARTNER} WHERE p.account_id = @accountId AND p.id = @partnerId AND p.deleted_at IS NULL ${KEPT}`;

/** The customer with this external id, with its first click's link and partner. */
export function findOwnerByExternalId(tx: Transaction, accountId: AccountId, externalId: string) {
  return ownerOf(tx.get(BY_EXTERNAL_ID, { accountId, externalId }));
}

/**
 * Like `findOwnerByExternalId`, for a payment that also names the processor's id of its customer: looks first at whose
 * that is.
 */
export function findOwnerOfNamedPayer(
  tx: Transaction,
  { accountId, processor }: { accountId: AccountId; processor: PaymentProcessor },
  payer: { externalId: string; processorCustomerId: string },
) {
  return ownerOf(tx.get(BY_NAMED_PAYER, { accountId, processor, ...payer }));
}

export function findOwnerByCustomer(tx: Transaction, accountId: AccountId, customerId: CustomerId) {
  return ownerOf(tx.get(BY_CUSTOMER, { accountId, customerId }));
}

/** The earliest customer with this lower-case e-mail address, in programs with e-mail matching only. */
export function findOwnerByEmail(tx: Transaction, accountId: AccountId, email: string) {
  return ownerOf(tx.get(BY_EMAIL, { accountId, email }));
}

/** Like `findOwnerByEmail`, among the customers of one program. */
export function findOwnerByEmailInProgram(tx: Transaction, accountId: AccountId, email: string, programId: ProgramId) {
  return ownerOf(tx.get(BY_EMAIL_IN_PROGRAM, { accountId, email, programId }));
}

/** The click's link and partner, and the guest known by this click, if there is one. */
export async function findOwnerByClick(
  tx: Transaction,
  accountId: AccountId,
  clickId: string,
): Promise<ClickOwner | undefined> {
  const row = await tx.get<ClickOwnerRow>(BY_CLICK, { accountId, clickId });
  if (!row) return undefined;
  const { linkId, domain, key, url } = row;
  return { ...asOwner(row), clickId: row.clickId, linkId, link: { domain, key, url } };
}

/** The partner of a discount code, ignoring case. Has neither customer nor link. */
export function findOwnerByDiscountCode(tx: Transaction, accountId: AccountId, code: string) {
  return ownerOf(tx.get(BY_DISCOUNT_CODE, { accountId, code: code.toLowerCase() }));
}

export function findOwnerByPartner(tx: Transaction, accountId: AccountId, partnerId: string) {
  return ownerOf(tx.get(BY_PARTNER, { accountId, partnerId }));
}

async function ownerOf(found: Promise<OwnerRow | undefined>): Promise<Owner | undefined> {
  const row = await found;
  return row && asOwner(row);
}

// Copied member by member: every sale reads an owner, and a rest copy takes V8 as long as the query itself.
function asOwner(row: OwnerRow): Owner {
  const { linkCommission, partnerCommission, programCommission, durationMonths, holdDays, amountBasis } = row;
  const source = linkCommission !== null ? 'link' : partnerCommission !== null ? 'partner' : 'program';
  const commission = JSON.parse(linkCommission ?? partnerCommission ?? programCommission) as Commission;
  return {
    customerId: row.customerId,
    externalId: row.externalId,
    email: row.email,
    name: row.name,
    clickId: row.clickId,
    linkId: row.linkId,
    partnerId: row.partnerId,
    partnerEmail: row.partnerEmail,
    programId: row.programId,
    terms: { commission, source, durationMonths, holdDays, amountBasis },
    selfReferral: row.selfReferral,
    archivedAt: row.archivedAt,
  };
}
