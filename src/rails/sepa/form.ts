import type { RailForm } from '../contract/form.ts';

export const form: RailForm = { title: 'SEPA', needed: ['name', 'iban'], optional: ['bic'] };
