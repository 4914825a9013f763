import { type DestinationStream, type Logger, pino } from 'pino';
import { createStderrOutput, type LogOutput } from './log-output.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export const LOG_FORMATS = ['json', 'pretty'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogFormat = (typeof LOG_FORMATS)[number];

/** Never logged on purpose; redacted in case a whole object is logged by mistake. */
const HIDDEN = [
  'authorization',
  'apiKey',
  'key',
  'secret',
  'secrets',
  'secretKey',
  'secretKeyFallbacks',
  'signature',
  'token',
  'rawBody',
];

/** The single output of all logs of this process; created with the first log. */
let stderr: LogOutput | null = null;

/** Lines of this process that were dropped because stderr did not accept them. */
export function droppedLogLines(): number {
  return stderr?.droppedLines ?? 0;
}

/** Logs go to stderr, because stdout is for data. Logging never blocks and never throws. */
export function createLog(level: LogLevel, format: LogFormat): Logger {
  stderr ??= createStderrOutput();
  const log = pino(
    {
      level,
      base: null,
      redact: { paths: HIDDEN.flatMap((name) => [name, `*.${name}`]), censor: '(hidden)' },
      formatters: { level: (label) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    format === 'pretty' ? prettyOn(stderr) : jsonOn(stderr),
  );
  stderr.onRecovered = (droppedLines) => log.warn({ droppedLines }, 'log lines were dropped: stderr did not take them');
  return log;
}

/** For programs, and for whoever follows it on a terminal: JSON escapes only some control characters by itself. */
function jsonOn(stream: DestinationStream): DestinationStream {
  return { write: (line) => stream.write(visible(line, HARMFUL_BUT_LINE_BREAKS)) };
}

/** For people: `12:30:05.120 info  listening port=3000`, with an error's stack below. */
function prettyOn(stream: DestinationStream): DestinationStream {
  return { write: (line) => stream.write(prettyLine(line)) };
}

function prettyLine(line: string): string {
  const { level, time, msg, err, ...members } = JSON.parse(line) as Record<string, unknown>;
  const clock = String(time).slice(11, 23);
  const pairs = Object.entries(members).map(([name, value]) => `${name}=${asText(value)}`);
  const stack = hasStack(err) ? `\n${visible(err.stack, HARMFUL_BUT_LINE_BREAKS)}` : '';
  return `${visible([clock, String(level).padEnd(5), msg, ...pairs].join(' '))}${stack}\n`;
}

const HARMFUL = /[\p{Cc}\p{Bidi_Control}]/gu;
const HARMFUL_BUT_LINE_BREAKS = /[^\P{Cc}\n]|\p{Bidi_Control}/gu;

/** Escapes control characters, with which a request could change what the terminal shows. */
function visible(text: string, hidden = HARMFUL): string {
  return text.replaceAll(hidden, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function hasStack(value: unknown): value is { stack: string } {
  return typeof value === 'object' && value !== null && 'stack' in value && typeof value.stack === 'string';
}
