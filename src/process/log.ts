import { type DestinationStream, destination, type Logger, pino } from 'pino';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export const LOG_FORMATS = ['json', 'pretty'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogFormat = (typeof LOG_FORMATS)[number];

const STDERR = 2;
/** Never logged on purpose; redacted in case a whole object is logged by mistake. */
const HIDDEN = ['authorization', 'apiKey', 'key', 'secret', 'secrets', 'secretKey', 'signature', 'token', 'rawBody'];

/** Logs go to stderr, because stdout is for data. */
export function createLog(level: LogLevel, format: LogFormat): Logger {
  const stderr = destination(STDERR);
  return pino(
    {
      level,
      base: null,
      redact: { paths: HIDDEN.flatMap((name) => [name, `*.${name}`]), censor: '(hidden)' },
      formatters: { level: (label) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    format === 'pretty' ? prettyOn(stderr) : stderr,
  );
}

/** For people: `12:30:05.120 info  listening port=3000`, with an error's stack below. */
function prettyOn(stream: DestinationStream): DestinationStream {
  return { write: (line) => stream.write(prettyLine(line)) };
}

function prettyLine(line: string): string {
  const { level, time, msg, err, ...members } = JSON.parse(line) as Record<string, unknown>;
  const clock = String(time).slice(11, 23);
  const pairs = Object.entries(members).map(([name, value]) => `${name}=${asText(value)}`);
  const stack = hasStack(err) ? `\n${err.stack}` : '';
  return `${[clock, String(level).padEnd(5), msg, ...pairs].join(' ')}${stack}\n`;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function hasStack(value: unknown): value is { stack: string } {
  return typeof value === 'object' && value !== null && 'stack' in value && typeof value.stack === 'string';
}
