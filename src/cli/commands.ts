import type { Command } from 'commander';

export interface CommandEntry {
  /** The first words that select it. */
  names: readonly string[];
  /** Loads the module; returns the function that adds its commands to a program. */
  load(): Promise<(program: Command) => void>;
}

/**
 * Every command, in the order of the help. Each is loaded on demand, so that a server does not hold the others in
 * memory.
 */
export const COMMANDS: readonly CommandEntry[] = [
  { names: ['serve'], load: async () => (await import('./commands/serve.ts')).addServeCommand },
  { names: ['setup'], load: async () => (await import('./commands/setup.ts')).addSetupCommand },
  { names: ['login', 'logout'], load: async () => (await import('./commands/login.ts')).addLoginCommands },
  { names: ['whoami'], load: async () => (await import('./commands/whoami.ts')).addWhoamiCommand },
  { names: ['demo'], load: async () => (await import('./commands/demo.ts')).addDemoCommand },
  { names: ['doctor'], load: async () => (await import('./commands/doctor.ts')).addDoctorCommand },
  { names: ['backup'], load: async () => (await import('./commands/backup.ts')).addBackupCommand },
  { names: ['migrate'], load: async () => (await import('./commands/migrate.ts')).addMigrateCommand },
  { names: ['reencrypt'], load: async () => (await import('./commands/reencrypt.ts')).addReencryptCommand },
  { names: ['export'], load: async () => (await import('./commands/export.ts')).addExportCommand },
  { names: ['import'], load: async () => (await import('./commands/import.ts')).addImportCommand },
  { names: ['accounts'], load: async () => (await import('./commands/accounts.ts')).addAccountsCommand },
  { names: ['keys'], load: async () => (await import('./commands/keys.ts')).addKeysCommand },
  { names: ['login-link'], load: async () => (await import('./commands/login-link.ts')).addLoginLinkCommand },
  { names: ['operators'], load: async () => (await import('./commands/operators.ts')).addOperatorsCommand },
  { names: ['programs'], load: async () => (await import('./commands/programs.ts')).addProgramsCommand },
  { names: ['partners'], load: async () => (await import('./commands/partners.ts')).addPartnersCommand },
  { names: ['links'], load: async () => (await import('./commands/links.ts')).addLinksCommand },
  { names: ['customers'], load: async () => (await import('./commands/customers.ts')).addCustomersCommand },
  { names: ['leads'], load: async () => (await import('./commands/customers.ts')).addLeadsCommand },
  { names: ['endpoints'], load: async () => (await import('./commands/endpoints.ts')).addEndpointsCommand },
  { names: ['sales'], load: async () => (await import('./commands/sales.ts')).addSalesCommand },
  { names: ['refunds'], load: async () => (await import('./commands/refunds.ts')).addRefundsCommand },
  { names: ['deliveries'], load: async () => (await import('./commands/deliveries.ts')).addDeliveriesCommand },
  { names: ['parked'], load: async () => (await import('./commands/parked.ts')).addParkedCommand },
  { names: ['ledger'], load: async () => (await import('./commands/ledger.ts')).addLedgerCommand },
  { names: ['payouts'], load: async () => (await import('./commands/payouts.ts')).addPayoutsCommand },
  { names: ['rails'], load: async () => (await import('./commands/rails.ts')).addRailsCommand },
  { names: ['reconcile'], load: async () => (await import('./commands/reconcile.ts')).addReconcileCommand },
  { names: ['events'], load: async () => (await import('./commands/events.ts')).addEventsCommand },
  { names: ['listen'], load: async () => (await import('./commands/listen.ts')).addListenCommand },
  {
    names: ['statistics', 'overview'],
    load: async () => (await import('./commands/statistics.ts')).addStatisticsCommands,
  },
  { names: ['personal-data', 'erase'], load: async () => (await import('./commands/erase.ts')).addEraseCommand },
  { names: ['audit-log'], load: async () => (await import('./commands/operators.ts')).addAuditLogCommand },
  { names: ['replay'], load: async () => (await import('./commands/replay.ts')).addReplayCommand },
  { names: ['trigger'], load: async () => (await import('./commands/trigger.ts')).addTriggerCommand },
  { names: ['explain'], load: async () => (await import('./commands/explain.ts')).addExplainCommand },
  { names: ['completion'], load: async () => (await import('./commands/completion.ts')).addCompletionCommand },
];
