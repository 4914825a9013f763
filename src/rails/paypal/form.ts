import type { RailForm } from '../contract/form.ts';

export const form: RailForm = { title: 'PayPal', needed: ['email'], optional: [] };
