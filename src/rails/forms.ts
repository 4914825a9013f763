import type { RailForm } from './contract/form.ts';
import type { RailName } from './contract/rail.ts';
import { form as paypal } from './paypal/form.ts';
import { form as sepa } from './sepa/form.ts';
import { form as wise } from './wise/form.ts';

/** What pages ask for, by rail. Separate from `index.ts`, so that pages do not have to load the schemas. */
export const RAIL_FORMS: Readonly<Record<RailName, RailForm>> = { paypal, sepa, wise };
