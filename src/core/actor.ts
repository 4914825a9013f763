import type { ApiKeyId, OperatorId } from './ids.ts';

/** Who may act through the API, with the name that the audit log keeps. */
export type ApiActor =
  | { kind: 'api_key'; id: ApiKeyId; name: string }
  | { kind: 'operator'; id: OperatorId; name: string };

/** Who performed a recorded action. */
export type Actor = ApiActor | { kind: 'command_line' } | { kind: 'schedule' };

/** An actor as stored and shown: the id of the key or operator, `command line` or `schedule`. */
export function actorName(actor: Actor): string {
  switch (actor.kind) {
    case 'api_key':
    case 'operator':
      return actor.id;
    case 'command_line':
      return 'command line';
    case 'schedule':
      return 'schedule';
  }
}
