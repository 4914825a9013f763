import { ERROR_STATUS, type ErrorCode } from '../../src/errors.ts';

export interface ErrorMeaning {
  when: string;
  /** True if it makes sense to retry the same request. */
  repeat: 'no' | 'yes' | 'after `Retry-After`' | 'only if it is idempotent';
  /** An example of its message. */
  message: string;
}

/** The documentation of each code. */
export const ERROR_MEANINGS: Record<ErrorCode, ErrorMeaning> = {
  EXPECTATION_FAILED: {
    when: 'the header `Expect` asks for something other than `100-continue`',
    repeat: 'no',
    message: 'Expect: "202-accepted" is not supported; leave it out',
  },
  INVALID_CLICK_ID: {
    when: 'this account has no click with this id',
    repeat: 'no',
    message: 'clickId "clk_unknown" matches no recorded click of this account: send the value of the svc_id cookie',
  },
  VALIDATION_ERROR: {
    when: 'a field is missing, malformed or unknown, or the body is not a JSON object',
    repeat: 'no',
    message: 'url: must be an absolute http or https URL',
  },
  UNAUTHORIZED: {
    when: 'the API key, token or session is missing, unknown, revoked or expired, or signing in failed',
    repeat: 'no',
    message: 'Invalid or missing API key',
  },
  INVALID_SIGNATURE: {
    when: 'the delivery is not signed with a secret of this endpoint; the log says why',
    repeat: 'no',
    message: 'The signature of this delivery could not be verified',
  },
  FORBIDDEN: {
    when: "the API key's scope or the operator's role does not include this, only a person may do it, or the request does not come from a page of the service",
    repeat: 'no',
    message: 'This API key has the scope "read"; POST /api/links needs a key with "full"',
  },
  ORIGIN_NOT_ALLOWED: {
    when: "the page that embeds the portal is not in the program's `allowedOrigins`, or one that claims a click is not in `trackedHosts`",
    repeat: 'no',
    message: '"https://other.example.com" is not among the program\'s allowedOrigins',
  },
  NOT_FOUND: {
    when: 'there is no such path or resource, or it belongs to another account',
    repeat: 'no',
    message: 'No partner "ptr_unknown" in this account',
  },
  METHOD_NOT_ALLOWED: {
    when: 'the path does not take this method; `Allow` lists those it takes',
    repeat: 'no',
    message: 'PUT is not allowed here; use GET or HEAD or PATCH',
  },
  REQUEST_TIMEOUT: {
    when: 'the request took longer than 15 s to arrive',
    repeat: 'yes',
    message: 'The request did not arrive completely in time; send it again',
  },
  DUPLICATE_INVOICE: {
    when: 'a sale with this `invoiceId` is already recorded; for a retry, that is success',
    repeat: 'no',
    message: 'A sale with invoiceId "order_1042" was already recorded; nothing was counted again',
  },
  CONFLICT: {
    when: "a unique value is taken: a link's key, a partner's e-mail",
    repeat: 'no',
    message: 'key: "ana" is taken on refer.example.com; choose another',
  },
  INVALID_STATE: {
    when: 'the resource is in a state that does not allow this',
    repeat: 'no',
    message:
      'Payout pay_0199c3a07d5c7000a1b2c3d4e5f60718 is paid; only a payout that is processing can become canceled',
  },
  PAYLOAD_TOO_LARGE: {
    when: 'the body exceeds 64 KiB, or 2 MiB for a webhook, its explanation, payouts of a file, or a part of an imported file',
    repeat: 'no',
    message: 'The body is larger than 64 KiB',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    when: "the body's `Content-Type` is not JSON in UTF-8, or its `Content-Encoding` is not supported",
    repeat: 'no',
    message: 'Send the body with the header Content-Type: application/json',
  },
  RATE_LIMIT_EXCEEDED: {
    when: 'the key, session, partner or client address has used up its requests for this minute',
    repeat: 'after `Retry-After`',
    message: 'More than 600 requests a minute with this API key; retry in 17 seconds, then back off exponentially',
  },
  HEADERS_TOO_LARGE: {
    when: 'the headers exceed 16 KiB',
    repeat: 'no',
    message: 'The headers and the URL of the request are larger than 16 KiB',
  },
  INTERNAL_ERROR: {
    when: 'a bug; the log has the details under the request id of the response',
    repeat: 'yes',
    message:
      'Something went wrong on the server. Find the reason in its log under request id 8d1f0a5e-6f0b-4a53-9d27-3b8c5e1f7a90',
  },
  UNAVAILABLE: {
    when: 'the database is full, locked or unreachable; nothing was recorded',
    repeat: 'after `Retry-After`',
    message: 'The database did not answer. Nothing was recorded; try again shortly',
  },
  OUTCOME_UNKNOWN: {
    when: 'the database failed during the commit or after it; the request may have been recorded',
    repeat: 'only if it is idempotent',
    message:
      'The connection to the database was lost during the commit, so it is unknown whether this request was recorded. ' +
      'Check before you send it again; leads, refunds and sales with an invoiceId never count twice',
  },
};

/** The codes sorted by status. */
export const ERROR_CODES = (Object.keys(ERROR_STATUS) as ErrorCode[]).sort((a, b) => ERROR_STATUS[a] - ERROR_STATUS[b]);

/** An example of an error response. */
export function errorExample(code: ErrorCode): object {
  const { message } = ERROR_MEANINGS[code];
  const [path = '', ...text] = message.split(': ');
  const details = code === 'VALIDATION_ERROR' ? { details: [{ path, message: text.join(': ') }] } : {};
  return { error: { code, message, ...details } };
}
