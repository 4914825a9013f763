import type { ApiKeyId } from './ids.ts';

/** Who performed a recorded action. */
export type Actor = { kind: 'api_key'; id: ApiKeyId } | { kind: 'command_line' } | { kind: 'schedule' };

/** An actor as stored and shown: the key's id, `command line` or `schedule`. */
export function actorName(actor: Actor): string {
  switch (actor.kind) {
    case 'api_key':
      return actor.id;
    case 'command_line':
      return 'command line';
    case 'schedule':
      return 'schedule';
  }
}
