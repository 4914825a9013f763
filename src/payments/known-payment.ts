export { findNamedPayments } from './queries/references.ts';
