import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';

/** The names of all commands that do something: `partners list`. */
export function namesOf(command: Command, before: string[] = []): string[] {
  const names = command.commands.flatMap((child) => namesOf(child, [...before, child.name()]));
  return command.commands.length > 0 ? names : [before.join(' ')];
}

/**
 * These read, issue a token, deliver over HTTP like a processor, or concern no account but the whole database or this
 * computer.
 */
export const WITHOUT_ENTRY = [
  // its log is deleted with it
  'accounts delete',
  'accounts list',
  'audit-log',
  'backup',
  'completion',
  'customers list',
  'customers show',
  'deliveries list',
  'deliveries show',
  'demo',
  'doctor',
  'endpoints list',
  'endpoints show',
  'events endpoints list',
  'events endpoints show',
  'events list',
  'events show',
  'explain',
  'export',
  'import refbridge',
  'keys list',
  'leads list',
  'ledger list',
  'links list',
  'links show',
  'listen',
  'login',
  'logout',
  'migrate',
  'operators list',
  'overview',
  'parked list',
  'parked show',
  'partners earnings',
  'partners embed-token',
  'partners list',
  'partners onboarding',
  'partners show',
  'payouts export',
  'payouts list',
  'payouts show',
  'payouts statement',
  'payouts totals',
  'personal-data',
  'programs list',
  'programs show',
  'rails list',
  'reencrypt',
  'replay',
  'sales list',
  'sales show',
  'serve',
  'statistics',
  'trigger',
  'whoami',
];

/** Writes a CSV file with one partner into a folder; returns its name. */
export function writePartnersCsv(folder: string, email: string): string {
  writeFileSync(join(folder, 'partners.csv'), `email\n${email}\n`);
  return 'partners.csv';
}
