import type { ErrorCode, ServiceError } from '../../errors.ts';

/** The body of every error under `/compat/dub`. */
interface DubErrorBody {
  error: { code: string; message: string };
}

/** The `dub` package has a class for each of these codes. */
const CODES: Readonly<Record<number, string>> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  422: 'unprocessable_entity',
  429: 'rate_limit_exceeded',
};

/** The errors with a different status under `/compat/dub`. */
const STATUSES: Partial<Record<ErrorCode, number>> = { INVALID_CLICK_ID: 404, METHOD_NOT_ALLOWED: 404 };

/**
 * An error as the `dub` package expects it. A body that is not JSON is a bad request; one with an invalid member is
 * unprocessable. A status without its own class is kept, with the code of its kind.
 */
export function dubErrorOf(error: ServiceError): { status: number; body: DubErrorBody } {
  const { code, message } = error;
  const isWrongMember = code === 'VALIDATION_ERROR' && error.details?.some(({ path }) => path !== '') === true;
  const status = STATUSES[code] ?? (isWrongMember ? 422 : error.status);
  const text = code === 'METHOD_NOT_ALLOWED' ? `This call is not offered by Refbridge: ${message}` : message;
  const name = CODES[status] ?? (status < 500 ? 'bad_request' : 'internal_server_error');
  return { status, body: { error: { code: name, message: text } } };
}
