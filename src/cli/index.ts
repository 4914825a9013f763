#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// halves the time that every command begins with; what is imported statically here would be too early for it
enableCompileCache();

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // `refbridge sales list | head` ends the pipe, and with it the work
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

const { runProgram } = await import('./program.ts');
const exitCode = await runProgram(process.argv.slice(2));
process.exitCode ||= exitCode;
