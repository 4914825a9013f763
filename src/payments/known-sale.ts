export { findSalePayment } from './queries/sales.ts';
