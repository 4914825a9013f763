import type { RequestHandler } from 'express';
import { acceptsPage } from '../app/accepts-page.ts';
import type { Service } from '../app/service.ts';
import { answerDeadLink } from '../links/dead-link.ts';
import { sendRaw } from './answers.ts';

/** Where only programs ask; they get JSON, whatever they accept. */
const PROGRAMS_PATH = /^\/(?:api|compat|webhooks)(?:\/|$)/i;

/**
 * Answers people at an address that no link can have, such as `/ä` or `/one/two`, like those who follow a link that does
 * not exist. Passes everything else on.
 */
export function answerDeadPath(service: Service): RequestHandler {
  return async (request, response, next) => {
    const { method, path, headers } = request;
    const isForPeople = (method === 'GET' || method === 'HEAD') && !PROGRAMS_PATH.test(path) && acceptsPage(headers);
    if (!isForPeople) return next();
    return sendRaw(response, await answerDeadLink(service, request));
  };
}
