import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerWith, createEventReceiver, type EventReceiver } from '../helpers/event-receiver.ts';
import { freePort } from '../helpers/free-port.ts';
import { createWorkplace } from './run-cli.ts';

const port = String(await freePort());
const workplace = createWorkplace({ PORT: port, HOST: '127.0.0.1', EVENT_ALLOWED_HOSTS: '127.0.0.1' });
const { json, run } = workplace;
let receiver: EventReceiver;

beforeAll(async () => {
  receiver = await createEventReceiver();
  receiver.answer = (request, response) => answerWith(request.url?.endsWith('/broken') ? 500 : 204)(request, response);
  await workplace.start('serve').saw(/listening/);
  await json('setup', '--name', 'Example Ltd');
});
afterAll(async () => {
  await workplace.remove();
  await receiver.close();
});

async function newEndpoint(path: string): Promise<string> {
  const words = ['--url', `${receiver.url}${path}`, '--types', 'partner.created'];
  return (await json('events', 'endpoints', 'create', ...words)).id;
}

describe('events list', () => {
  it('says why an event has not arrived, at each endpoint or only at the one that doctor names', async () => {
    const [working, broken] = [await newEndpoint('/working'), await newEndpoint('/broken')];
    await json('partners', 'create', '--name', 'Ana', '--email', 'ana@example.com');
    const outcomes = async () => (await run(['events', 'list'])).stdout;
    await expect.poll(outcomes, { timeout: 30_000 }).toContain(`${broken} waiting: answered 500`);
    await expect.poll(outcomes, { timeout: 30_000 }).toContain(`${working} delivered`);

    const { checks } = JSON.parse((await run(['doctor', '--json'])).stdout);
    const { advice } = checks.find(({ check }: { check: string }) => check === `event endpoint ${broken}`);
    const [command = ''] = /events list --endpoint \w+/.exec(advice) ?? [];
    const { stdout } = await run(command.split(' '));
    expect(stdout).toMatch(/partner\.created +waiting: answered 500\n$/);
  });
});
