/** The members that a request's example shows, by component, or by component and member. */
export const SHOWN_MEMBERS: Readonly<Record<string, string[]>> = {
  LeadInput: ['clickId', 'eventName', 'customerExternalId', 'customerEmail'],
  SaleInput: ['clickId', 'customerExternalId', 'amount', 'currency', 'invoiceId'],
  LinkInput: ['partnerId', 'key', 'url'],
  LinkPatch: ['url'],
  ClickInput: ['domain', 'key', 'url', 'referrer'],
  ProgramInput: ['name', 'commission', 'durationMonths', 'holdDays'],
  ProgramPatch: ['holdDays', 'minimumPayout'],
  PartnerInput: ['name', 'email', 'tenantId', 'discountCodes'],
  PartnerPatch: ['discountCodes'],
  EmbedTokenInput: ['tenantId'],
  ApiKeyInput: ['name'],
  PayoutRunInput: ['dryRun'],
  AttributeInput: ['customerExternalId'],
  WebhookEndpointInput: ['processor', 'secrets'],
  WebhookEndpointPatch: ['secrets'],
};
