import type { Service } from '../../app/service.ts';
import { listPrograms } from '../../programs/programs.ts';
import { programListQuery } from '../../programs/schemas.ts';
import { parseInput } from '../../schema/parse.ts';
import { type Check, type CheckedAccount, passed, warned } from './check.ts';
import { listAll } from './list-all.ts';

/** A portal that no page may embed stays blank in the browser, where nothing can say why. */
export async function portalChecks(service: Service, { id: accountId, name }: CheckedAccount): Promise<Check[]> {
  const programs = await listAll((query) => listPrograms(service, accountId, parseInput(programListQuery, query)));
  const closed = programs.filter(({ portal }) => portal.allowedOrigins.length === 0);
  if (closed.length === 0) return [passed('portal', `${name}: every program names the origins that may embed it`)];
  return closed.map((program) =>
    warned(
      'portal',
      `${name}: no page may embed the portal of ${program.id} (${program.name}), so a frame of it stays blank`,
      `If you embed it: \`refbridge programs update ${program.id} --portal '{"allowedOrigins":["https://app.example.com"]}'\`.`,
    ),
  );
}
