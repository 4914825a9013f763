import type { RailForm } from '../contract/form.ts';

export const form: RailForm = { title: 'Stripe', needed: ['account'], optional: [] };
