import type { RailForm } from './contract/form.ts';
import type { FileRailName, RailName } from './contract/rail.ts';
import { form as paypal } from './paypal/form.ts';
import { form as sepa } from './sepa/form.ts';
import { form as stripe } from './stripe/form.ts';
import { form as wise } from './wise/form.ts';

/** What pages ask for, by rail that makes files. Separate from `index.ts`, so that pages do not have to load the schemas. */
export const FILE_RAIL_FORMS: Readonly<Record<FileRailName, RailForm>> = { paypal, sepa, wise };

/** The same, of every rail. */
export const RAIL_FORMS: Readonly<Record<RailName, RailForm>> = { ...FILE_RAIL_FORMS, stripe };
