import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import paddle from '../../adapters/paddle/index.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const NOW_SECONDS = NOW / 1000;
const SECRET = 'pdl_ntfset_of_this_destination';
const BODY = Buffer.from('{"event_id":"evt_1","note":"Größe 5"}');

function h1(secret = SECRET, timestamp = NOW_SECONDS, body = BODY): string {
  return createHmac('sha256', secret).update(`${timestamp}:`).update(body).digest('hex');
}

function verify(header: string | undefined, secrets = [SECRET], rawBody = BODY): Promise<void> {
  const headers = header === undefined ? {} : { 'paddle-signature': header };
  return paddle.verify({ rawBody, headers }, { secrets, authorization: null, shopDomain: null }, NOW);
}

describe('a signature of Paddle', () => {
  test('counts at any place among several, while a secret is rotated', async () => {
    const other = h1('the secret that is rotated out');
    for (const header of [`ts=${NOW_SECONDS};h1=${h1()};h1=${other}`, `ts=${NOW_SECONDS};h1=${other};h1=${h1()}`]) {
      await expect(verify(header)).resolves.toBeUndefined();
    }
    await expect(verify(`ts=${NOW_SECONDS};h1=${other};h1=${other}`)).rejects.toThrow('does not match');
  });

  test('is found beside members that nobody described', async () => {
    const header = `v=1;id=${'0'.repeat(64)}; ts=${NOW_SECONDS}; h1=${h1()}`;
    await expect(verify(header)).resolves.toBeUndefined();
    await expect(verify(`id=${h1()};ts=${NOW_SECONDS}`)).rejects.toThrow('no signature (h1=)');
  });

  test('is refused when it brings more signatures than a rotation needs', async () => {
    const five = [...Array(4).fill(`h1=${h1('another')}`), `h1=${h1()}`].join(';');
    await expect(verify(`ts=${NOW_SECONDS};${five}`)).resolves.toBeUndefined();
    await expect(verify(`ts=${NOW_SECONDS};${Array(6).fill(`h1=${h1()}`).join(';')}`)).rejects.toThrow(
      'has 6 signatures',
    );
  });

  test('is valid for 300 s but not for 301, and the reason shows both clocks', async () => {
    await expect(verify(`ts=${NOW_SECONDS - 300};h1=${h1(SECRET, NOW_SECONDS - 300)}`)).resolves.toBeUndefined();
    await expect(verify(`ts=${NOW_SECONDS - 301};h1=${h1(SECRET, NOW_SECONDS - 301)}`)).rejects.toThrow(
      'The signature is right but 301 s old, and 300 s are allowed: Paddle says 2026-11-20T11:54:59.000Z, ' +
        'this machine’s clock says 2026-11-20T12:00:00.000Z',
    );
  });

  test('is accepted from a clock that is some minutes ahead of ours', async () => {
    const ahead = NOW_SECONDS + 299;
    await expect(verify(`ts=${ahead};h1=${h1(SECRET, ahead)}`)).resolves.toBeUndefined();
  });

  test('is refused when made with an empty secret, although the package would accept it', async () => {
    await expect(verify(`ts=${NOW_SECONDS};h1=${h1('')}`, [''])).rejects.toThrow('This endpoint has no secret yet');
    await expect(verify(`ts=${NOW_SECONDS};h1=${h1('')}`, ['', SECRET])).rejects.toThrow('does not match');
  });

  test.each([
    ['no header', undefined, 'The Paddle-Signature header is missing'],
    ['no timestamp', `h1=${h1()}`, 'has no timestamp (ts=) or no signature (h1=)'],
    ['no signature', `ts=${NOW_SECONDS}`, 'has no timestamp (ts=) or no signature (h1=)'],
    ['upper-case digits', `ts=${NOW_SECONDS};h1=${h1().toUpperCase()}`, 'has no timestamp (ts=) or no signature (h1=)'],
    ['another secret', `ts=${NOW_SECONDS};h1=${h1('another')}`, 'The secret of this endpoint does not match'],
  ])('with %s is refused, and the operator reads why', async (_what, header, message) => {
    await expect(verify(header)).rejects.toMatchObject({
      code: 'INVALID_SIGNATURE',
      message: expect.stringContaining(message),
    });
  });

  test('of Paddle Classic is recognized and refused', async () => {
    const alert = Buffer.from('alert_name=payment_succeeded&p_signature=abc');
    await expect(verify(undefined, [SECRET], alert)).rejects.toThrow('Paddle Classic');
  });

  test('is not valid for bytes that are not UTF-8', async () => {
    const broken = Buffer.from([0x7b, 0xff, 0x7d]);
    const signature = h1(SECRET, NOW_SECONDS, Buffer.from(broken.toString('utf8')));
    await expect(verify(`ts=${NOW_SECONDS};h1=${signature}`, [SECRET], broken)).rejects.toThrow('not UTF-8');
  });
});

test('a delivery of Paddle cannot be signed without a secret', () => {
  expect(() => paddle.sign(BODY, { secrets: [], authorization: null, shopDomain: null }, NOW)).toThrow('none is set');
});
