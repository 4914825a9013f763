export { findHolders } from './queries/days.ts';
