import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STRIPE_KEY, STRIPE_PLATFORM } from '../helpers/stripe-connect.ts';
import { runOnTerminal } from './on-terminal.ts';
import { byStripe, closeScene, json, openScene, owe, remote, run, stripe, workplace } from './payout-send-scene.ts';

beforeAll(openScene);
afterAll(closeScene);

const connect = (input: string, ...options: string[]) =>
  workplace.spawn([...remote, 'rails', 'connect', 'stripe', '--api-url', stripe.url, ...options], { input });

describe('refbridge rails', () => {
  it('connects Stripe with a key from standard input, says with what, and never prints the key', async () => {
    const connected = await connect(`${STRIPE_KEY}\n`, '--secret-key-stdin');
    expect([connected.exitCode, connected.stdout]).toEqual([0, '']);
    expect(connected.stderr).toBe(
      `stripe is connected: Aurora (${STRIPE_PLATFORM}), in test mode: no real money is moved.\n`,
    );
    const shown = await connect(STRIPE_KEY, '--secret-key-stdin', '--json');
    const { stdout } = await run(['rails', 'list']);
    expect(stdout).toMatch(/^stripe +transfer +Aurora, acct_platform1 +test +\d{4}-/m);
    expect(stdout).toMatch(/^sepa +file/m);
    for (const text of [shown.stdout, shown.stderr, stdout]) expect(text).not.toContain(STRIPE_KEY);
  });

  it.each([
    ['no key on standard input', '\n', ['--secret-key-stdin'], 2, 'holds no secret key'],
    ['a key that is not read', STRIPE_KEY, [], 2, 'Give --secret-key-stdin'],
    ['text that is no key', 'secret', ['--secret-key-stdin'], 2, 'must be a secret or restricted key'],
    ['a key that Stripe refuses', 'sk_test_nobody', ['--secret-key-stdin'], 2, 'Invalid API Key'],
  ])('changes nothing with %s', async (_what, input, options, exitCode, message) => {
    const before = (await json('rails', 'list')).data;
    const refused = await connect(input, ...options);
    expect([refused.exitCode, refused.stderr]).toEqual([exitCode, expect.stringContaining(message)]);
    expect((await json('rails', 'list')).data).toEqual(before);
  });

  // `script` has other options elsewhere
  it.skipIf(process.platform !== 'linux')('asks for the key on a terminal, which shows nothing of it', async () => {
    const words = [...remote, 'rails', 'connect', 'stripe', '--api-url', stripe.url];
    const question = 'Secret key of stripe: ';
    const { exitCode, shown } = await runOnTerminal(workplace, words, [[question, `${STRIPE_KEY}\r`]]);
    expect([exitCode, shown]).toEqual([0, expect.stringContaining(`${question}\r\nstripe is connected: Aurora`)]);
    expect(shown).not.toContain(STRIPE_KEY);
    const before = (await json('rails', 'list')).data;
    for (const [keys, code, message] of [
      ['\r', 2, 'That holds no secret key; nothing was changed.'],
      ['sk_test_half\u0003', 130, 'Stopped; nothing was stored.'],
    ] as const) {
      const refused = await runOnTerminal(workplace, words, [[question, keys]]);
      expect([refused.exitCode, refused.shown]).toEqual([code, expect.stringContaining(message)]);
      expect(refused.shown).not.toContain('sk_test');
    }
    expect((await json('rails', 'list')).data).toEqual(before);
  });

  it('disconnects it; then nothing can be sent, which the commands say', async () => {
    await owe(byStripe());
    const [{ id }] = (await json('payouts', 'run')).data;
    const gone = await run([...remote, 'rails', 'disconnect', 'stripe']);
    expect([gone.exitCode, gone.stderr]).toEqual([0, expect.stringMatching(/^stripe is disconnected\. /)]);
    expect((await run([...remote, 'rails', 'disconnect', 'stripe'])).exitCode).toBe(1);
    for (const words of [['--all'], ['--all', '--dry-run'], [id]]) {
      const { exitCode, stderr } = await run([...remote, 'payouts', 'send', ...words]);
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining('connect stripe first')]);
    }
    expect((await connect(STRIPE_KEY, '--secret-key-stdin')).exitCode).toBe(0);
    await json('payouts', 'cancel', id);
  });
});

describe('a partner who signs up at Stripe', () => {
  it('gets a link, and can be paid once Stripe says so', async () => {
    const partner = await owe(null);
    const onboarding = () => run([...remote, 'partners', 'onboarding', partner]);
    const none = await onboarding();
    expect([none.exitCode, none.stderr]).toEqual([1, expect.stringContaining('partners onboarding-link')]);
    const link = await run([...remote, 'partners', 'onboarding-link', partner, '--country', 'de']);
    expect([link.exitCode, link.stdout]).toEqual([0, expect.stringMatching(/^https:\/\/connect\.stripe\.com\/\S+\n$/)]);
    expect(link.stderr).toMatch(/^For the partner\. It works once, until \d{4}-/);
    const account = [...stripe.accounts.values()].find(({ metadata }) => metadata.refbridgePartnerId === partner);
    expect(account?.country).toBe('DE');
    const unready = await onboarding();
    expect(unready.exitCode).toBe(1);
    expect(unready.stderr).toContain('has not finished signing up at Stripe: send a new onboarding link.');
    stripe.platform.finishOnboarding(account?.id ?? '');
    const ready = await onboarding();
    expect([ready.exitCode, ready.stdout]).toEqual([0, `stripe would pay ${partner} now.\n`]);
    const wrong = await run([...remote, 'partners', 'onboarding-link', partner, '--country', 'Germany']);
    expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('--country')]);
  });
});
