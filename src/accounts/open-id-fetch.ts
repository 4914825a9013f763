import type { CustomFetch } from 'openid-client';
import { OpenIdFailure } from './open-id-failure.ts';

/** A provider's description and keys take a few kilobytes, hundreds at the most. */
const ANSWER_BYTES_MAX = 1024 * 1024;

/** Fetches an answer of the provider, whose body fails when it is too large: it would be in memory as a whole. */
export const fetchLimited: CustomFetch = async (url, { body = null, signal = null, ...options }) => {
  const answer = await fetch(url, { ...options, body, signal });
  return answer.body === null ? answer : new Response(answer.body.pipeThrough(limitedStream()), answer);
};

function limitedStream(): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      // closes the connection
      if (bytes > ANSWER_BYTES_MAX) throw new OpenIdFailure('settings', 'the answer has more than 1 MiB');
      controller.enqueue(chunk);
    },
  });
}
