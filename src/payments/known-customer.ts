export { findCustomer, findCustomerById } from './queries/customers.ts';
