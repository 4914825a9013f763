export { endImportErasure, findImportErasures, startImportErasure } from '../queries/erasure.ts';
