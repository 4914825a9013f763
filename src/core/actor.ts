import type { ApiKeyId, OperatorId, PartnerId } from './ids.ts';

/** An actor that uses the API, with the name that the audit log keeps. */
export type ApiActor =
  | { kind: 'api_key'; id: ApiKeyId; name: string }
  | { kind: 'operator'; id: OperatorId; name: string };

/** An actor that the audit log names. For the command line, the name is the operating system's user. */
export type AuditedActor =
  | ApiActor
  | { kind: 'command_line'; name: string }
  | { kind: 'partner'; id: PartnerId; name: string };

/** Who performed a recorded action. */
export type Actor =
  | ApiActor
  | { kind: 'command_line' }
  | { kind: 'schedule' }
  | { kind: 'partner'; id: PartnerId }
  /** What a provider has done with a transfer. */
  | { kind: 'rail'; name: string };

const COMMAND_LINE = 'command line';

/** Derives the kind of an audited actor from the stored id. */
export function actorKind(id: string): AuditedActor['kind'] {
  if (id === COMMAND_LINE) return 'command_line';
  if (id.startsWith('ptr_')) return 'partner';
  return id.startsWith('opr_') ? 'operator' : 'api_key';
}

/** An actor as stored and shown: the id of the key, operator or partner, `command line`, `schedule` or a rail's name. */
export function actorName(actor: Actor): string {
  switch (actor.kind) {
    case 'api_key':
    case 'operator':
    case 'partner':
      return actor.id;
    case 'command_line':
      return COMMAND_LINE;
    case 'schedule':
      return 'schedule';
    case 'rail':
      return actor.name;
  }
}
