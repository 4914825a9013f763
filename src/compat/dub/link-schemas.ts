import { z } from 'zod';
import { linkInput } from '../../links/schemas.ts';
import { countSchema, timeSchema } from '../../schema/answer-fields.ts';
import { optional, text } from '../../schema/fields.ts';
import { dubPageFields, unofferedFilter } from './pages.ts';

const { url, domain, key } = linkInput.shape;

const UTM_NAMES = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const;

export type UtmName = (typeof UTM_NAMES)[number];

const utmFields = {
  utm_source: optional(text()),
  utm_medium: optional(text()),
  utm_campaign: optional(text()),
  utm_term: optional(text()),
  utm_content: optional(text()),
};

const ownerFields = { partnerId: optional(text()), tenantId: optional(text()), programId: optional(text()) };

export const dubLinkInput = z.object({ url, domain, key, externalId: optional(text()), ...ownerFields, ...utmFields });

export type DubLinkInput = z.output<typeof dubLinkInput>;

/** An absent member is left unchanged; null removes the external id. */
export const dubLinkPatch = z.object({
  url: optional(url),
  domain,
  key,
  externalId: text().nullish(),
  ...ownerFields,
  ...utmFields,
});

export type DubLinkPatch = z.output<typeof dubLinkPatch>;

export const dubLinkInfoQuery = z.object({
  linkId: optional(text()),
  externalId: optional(text()),
  domain: optional(text()),
  key: optional(text()),
});

export type DubLinkInfoQuery = z.output<typeof dubLinkInfoQuery>;

export const dubLinkListQuery = z.object({
  ...dubPageFields,
  search: optional(text()),
  tenantId: optional(text()),
  partnerId: optional(text()),
  programId: optional(text()),
  showArchived: optional(z.literal('false', { error: 'is not supported by Refbridge; leave it out' })),
  domain: unofferedFilter,
  tagId: unofferedFilter,
  tagIds: unofferedFilter,
  tagNames: unofferedFilter,
  folderId: unofferedFilter,
  userId: unofferedFilter,
});

export type DubLinkListQuery = z.output<typeof dubLinkListQuery>;

export const dubPartnerLinkInput = z.object({
  ...ownerFields,
  url: optional(url).describe("The program's `defaultUrl` by default."),
  key,
  linkProps: optional(z.object({ externalId: optional(text()) })),
});

export type DubPartnerLinkInput = z.output<typeof dubPartnerLinkInput>;

/** Members that a link of Refbridge never has, but the package requires. */
export const NEVER = {
  expiresAt: null,
  expiredUrl: null,
  disabledAt: null,
  password: null,
  title: null,
  description: null,
  image: null,
  video: null,
  ios: null,
  android: null,
  folderId: null,
  comments: null,
  userId: null,
  lastClicked: null,
  tagId: null,
  geo: null,
  tags: null,
} as const;

/** The fields of members that are always null. */
export function nullFields<Name extends string>(members: Readonly<Record<Name, null>>): Record<Name, z.ZodNull> {
  return Object.fromEntries(Object.keys(members).map((name) => [name, z.null()])) as Record<Name, z.ZodNull>;
}

/** A link in lists of partners. */
export const dubShortLinkSchema = z.object({
  id: z.string(),
  domain: z.string(),
  key: z.string(),
  shortLink: z.string(),
  url: z.string(),
  clicks: countSchema,
  leads: countSchema,
  conversions: countSchema,
  sales: countSchema,
  saleAmount: z.int(),
});

export type DubShortLink = z.input<typeof dubShortLinkSchema>;

const utm = z.string().nullable();

export const dubLinkSchema = z.object({
  ...dubShortLinkSchema.shape,
  ...nullFields(NEVER),
  utm_source: utm,
  utm_medium: utm,
  utm_campaign: utm,
  utm_term: utm,
  utm_content: utm,
  externalId: z.string().nullable(),
  tenantId: z.string().nullable(),
  programId: z.string(),
  partnerId: z.string(),
  qrCode: z.string(),
  workspaceId: z.string(),
  projectId: z.string(),
  trackConversion: z.literal(true),
  webhookIds: z.array(z.string()),
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

export type DubLink = z.input<typeof dubLinkSchema>;

/** The URL with its campaign parameters replaced by these. */
export function withUtm(address: string, input: Readonly<Record<UtmName, string | null>>): string {
  const given = UTM_NAMES.filter((name) => input[name] !== null);
  if (given.length === 0) return address;
  const changed = new URL(address);
  for (const name of given) changed.searchParams.set(name, input[name] ?? '');
  return changed.href;
}

/** The campaign parameters of a URL. */
export function utmOf(address: string): Record<UtmName, string | null> {
  const parameters = URL.parse(address)?.searchParams;
  return Object.fromEntries(UTM_NAMES.map((name) => [name, parameters?.get(name) ?? null])) as Record<
    UtmName,
    string | null
  >;
}
