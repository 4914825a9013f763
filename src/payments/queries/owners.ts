import type { Transaction } from '../../storage/database.ts';

/** Who a payment belongs to: a partner and its terms, and the customer, click and link where they are known. */
export interface Owner {
  customerId: string | null;
  externalId: string | null;
  email: string | null;
  name: string | null;
  clickId: string | null;
  linkId: string | null;
  partnerId: string;
  partnerEmail: string;
  programId: string;
  /** Commission overrides and the program's own, as JSON. */
  linkCommission: string | null;
  partnerCommission: string | null;
  programCommission: string;
  durationMonths: number | null;
  holdDays: number;
  amountBasis: 'net' | 'gross';
  selfReferral: 'off' | 'flag' | 'refuse';
}

const TERMS = `
  p.id AS "partnerId", p.email AS "partnerEmail", p.commission AS "partnerCommission", g.id AS "programId",
  g.commission AS "programCommission", g.duration_months AS "durationMonths", g.hold_days AS "holdDays",
  g.amount_basis AS "amountBasis", g.self_referral AS "selfReferral"`;

const OF_CUSTOMER = `
  SELECT c.id AS "customerId", c.external_id AS "externalId", c.email AS "email", c.name AS "name",
    c.click_id AS "clickId", c.link_id AS "linkId", l.commission AS "linkCommission", ${TERMS}
  FROM customers c
  JOIN partners p ON p.id = c.partner_id
  JOIN programs g ON g.id = c.program_id
  LEFT JOIN links l ON l.id = c.link_id
  WHERE c.account_id = @accountId`;

const BY_EXTERNAL_ID = `${OF_CUSTOMER} AND c.external_id = @externalId`;
const BY_CUSTOMER = `${OF_CUSTOMER} AND c.id = @customerId`;
const BY_EMAIL = `${OF_CUSTOMER} AND c.email_lower = @email AND g.email_matching = 1 ORDER BY c.id LIMIT 1`;

const BY_CLICK = `
  SELECT c.id AS "customerId", c.external_id AS "externalId", c.email AS "email", c.name AS "name",
    k.id AS "clickId", l.id AS "linkId", l.commission AS "linkCommission", ${TERMS}
  FROM clicks k
  JOIN links l ON l.id = k.link_id
  JOIN partners p ON p.id = l.partner_id
  JOIN programs g ON g.id = l.program_id
  LEFT JOIN customers c ON c.click_id = k.id AND c.external_id IS NULL
  WHERE k.id = @clickId AND k.account_id = @accountId`;

const OF_PARTNER = `
  SELECT NULL AS "customerId", NULL AS "externalId", NULL AS "email", NULL AS "name", NULL AS "clickId",
    NULL AS "linkId", NULL AS "linkCommission", ${TERMS}
  FROM partners p
  JOIN programs g ON g.id = p.program_id`;

const BY_DISCOUNT_CODE = `${OF_PARTNER}
  JOIN partner_discount_codes d ON d.partner_id = p.id
  WHERE d.account_id = @accountId AND d.code_lower = @code`;

const BY_PARTNER = `${OF_PARTNER} WHERE p.account_id = @accountId AND p.id = @partnerId`;

/** The customer that the caller knows by this id, with its first click's link and partner. */
export function findOwnerByExternalId(tx: Transaction, accountId: string, externalId: string) {
  return tx.get<Owner>(BY_EXTERNAL_ID, { accountId, externalId });
}

export function findOwnerByCustomer(tx: Transaction, accountId: string, customerId: string) {
  return tx.get<Owner>(BY_CUSTOMER, { accountId, customerId });
}

/** Only customers of programs that switched e-mail matching on; of several the earliest. `email` in lower case. */
export function findOwnerByEmail(tx: Transaction, accountId: string, email: string) {
  return tx.get<Owner>(BY_EMAIL, { accountId, email });
}

/** The click's link and partner; the customer is the guest known by this click, if there is one. */
export function findOwnerByClick(tx: Transaction, accountId: string, clickId: string) {
  return tx.get<Owner>(BY_CLICK, { accountId, clickId });
}

/** Compared without case; no customer, no link. */
export function findOwnerByDiscountCode(tx: Transaction, accountId: string, code: string) {
  return tx.get<Owner>(BY_DISCOUNT_CODE, { accountId, code: code.toLowerCase() });
}

export function findOwnerByPartner(tx: Transaction, accountId: string, partnerId: string) {
  return tx.get<Owner>(BY_PARTNER, { accountId, partnerId });
}
