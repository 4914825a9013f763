import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { route } from '../app/route.ts';
import { createExport, downloadExport, getExport, listExports } from './jobs/exports.ts';
import { cancelImport, createImport, getImport, listImports } from './jobs/imports.ts';
import {
  exportListQuery,
  exportListSchema,
  exportSchema,
  FILE_BYTES_MAX,
  importDetailSchema,
  importInput,
  importListQuery,
  importListSchema,
  partQuery,
} from './jobs/schemas.ts';
import { receivePart } from './jobs/upload.ts';

const TAG = 'Import and export';
/** Everything about everybody, and the imports that bring it here: for owners, and for keys with full scope. */
const ACCESS = { credential: 'api-key', role: 'owner', scope: 'full', tag: TAG, cacheControl: 'no-store' } as const;
const MEBIBYTE = 1024 * 1024;

const bytesBody = z.instanceof(Buffer);

/** Imports, which the server runs in the background. */
const importRoutes = [
  route({
    ...ACCESS,
    operationId: 'createImport',
    method: 'POST',
    path: '/api/imports',
    action: 'import.create',
    summary: 'Import from a file or another service',
    description:
      'The server runs it in the background; `GET /api/imports/:id` shows its progress. Send the file of a CSV import with ' +
      '`PUT /api/imports/:id/file` first. Rows that are here already change nothing, so that an import can be repeated. ' +
      'Credentials are encrypted while it runs, never answered, and deleted when it ends. An account has one import at a time.',
    body: importInput,
    status: 202,
    answer: importDetailSchema,
    errors: ['CONFLICT', 'NOT_FOUND'],
    run: ({ service, caller }, { body }) => createImport(service, caller, body),
  }),
  route({
    ...ACCESS,
    operationId: 'uploadImportFile',
    method: 'PUT',
    path: '/api/imports/:id/file',
    summary: 'Send the file of an import, or a part of it',
    description:
      'The bytes of the CSV file, in UTF-8 or in UTF-16 with a byte order mark, in parts of at most 2 MiB: `?part=1`, ' +
      '`?part=2` and so on, in any order; a part may be sent again until the import has ended. The import begins when the ' +
      `announced number of bytes, at most ${FILE_BYTES_MAX / MEBIBYTE} MiB, has arrived. The file is deleted when it ends.`,
    query: partQuery,
    body: bytesBody,
    rawBody: true,
    answer: importDetailSchema,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    run: ({ service, caller }, { parameters, query, body }) =>
      receivePart(service, caller.accountId, { id: parameters.id, number: query.part, bytes: body }),
  }),
  route({
    ...ACCESS,
    operationId: 'listImports',
    method: 'GET',
    path: '/api/imports',
    summary: 'List imports',
    query: importListQuery,
    answer: importListSchema,
    run: ({ service, caller }, { query }) => listImports(service, caller.accountId, query),
  }),
  route({
    ...ACCESS,
    operationId: 'getImport',
    method: 'GET',
    path: '/api/imports/:id',
    summary: 'Get an import, with the first rows that were refused',
    answer: importDetailSchema,
    errors: ['NOT_FOUND'],
    run: ({ service, caller }, { parameters }) => getImport(service, caller.accountId, parameters.id),
  }),
  route({
    ...ACCESS,
    operationId: 'cancelImport',
    method: 'POST',
    path: '/api/imports/:id/cancel',
    action: 'import.cancel',
    summary: 'Cancel an import',
    description:
      'It ends within a second. What it has stored stays, and the same import, started again, continues from there.',
    answer: importDetailSchema,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    run: ({ service, caller }, { parameters }) => cancelImport(service, caller.accountId, parameters.id),
  }),
] as const;

/** Exports, which are created while they are downloaded. */
const exportRoutes = [
  route({
    ...ACCESS,
    operationId: 'createExport',
    method: 'POST',
    path: '/api/exports',
    action: 'account.export',
    summary: 'Export the whole account',
    description:
      'Allows the download for 24 hours. The file is not stored: it is created while it is downloaded, from the data of that moment.',
    status: 202,
    answer: exportSchema,
    run: ({ service, caller }) => createExport(service, caller),
  }),
  route({
    ...ACCESS,
    operationId: 'listExports',
    method: 'GET',
    path: '/api/exports',
    summary: 'List exports',
    query: exportListQuery,
    answer: exportListSchema,
    run: ({ service, caller }, { query }) => listExports(service, caller.accountId, query),
  }),
  route({
    ...ACCESS,
    operationId: 'getExport',
    method: 'GET',
    path: '/api/exports/:id',
    summary: 'Get an export',
    answer: exportSchema,
    errors: ['NOT_FOUND'],
    run: ({ service, caller }, { parameters }) => getExport(service, caller.accountId, parameters.id),
  }),
  route({
    ...ACCESS,
    operationId: 'downloadExport',
    method: 'GET',
    path: '/api/exports/:id/download',
    action: 'account.export.download',
    summary: 'Download an export',
    description:
      'A zip with a JSON-lines file for each table, CSV files for people, and `manifest.json`; unpacked, it is what ' +
      '`refbridge export` writes and `refbridge import refbridge` reads. Secrets and payout details in it are encrypted ' +
      "with the service's key. Passwords, sessions and sign-in codes are only in what the command writes beside the " +
      'database: after a move by this file, people sign in again. A download that was cut off cannot be opened.',
    otherAnswers: [{ status: 200, description: 'The file.', contentTypes: ['application/zip'] }],
    errors: ['NOT_FOUND', 'INVALID_STATE', 'CONFLICT'],
    run: ({ service, caller, request: { method } }, { parameters: { id } }) =>
      downloadExport(service, caller.accountId, { id, programVersion: packageJson.version, method }),
  }),
] as const;

export const exchangeRoutes = [...importRoutes, ...exportRoutes] as const;
