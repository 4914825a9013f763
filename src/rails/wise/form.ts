import type { RailForm } from '../contract/form.ts';

export const form: RailForm = { title: 'Wise', needed: ['name', 'email', 'receiverType'], optional: ['iban'] };
