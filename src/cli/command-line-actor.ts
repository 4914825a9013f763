import { userInfo } from 'node:os';
import type { AuditedActor } from '../core/actor.ts';

/** The actor that the audit log names for a command: the operating system's user who runs it. */
export function commandLineActor(): AuditedActor {
  return { kind: 'command_line', name: userName() };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // a container may run as a user without a name
    return `user ${process.getuid?.() ?? 'without a name'}`;
  }
}
