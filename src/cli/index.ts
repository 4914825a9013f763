#!/usr/bin/env node
// not its named exports, which an older Node refuses before the first line runs
import nodeModule from 'node:module';
import { requireNode } from './old-node.js';

requireNode();
const { restartWithFlags } = await import('./node-flags.ts');
restartWithFlags();

// Halves the startup time of every command. Other static imports in this file would be loaded before the cache is on.
nodeModule.enableCompileCache();

// Everything that a command writes (databases, backups, keys) is for this user only.
process.umask(0o077);

const { onOutputError } = await import('./terminal/reader.ts');
process.stdout.on('error', onOutputError);
// progress and problems that nobody reads, as in `2>&1 | grep -q paid`, end no work
process.stderr.on('error', () => {});

const { runProgram } = await import('./program.ts');
const exitCode = await runProgram(process.argv.slice(2));
process.exitCode ||= exitCode;
