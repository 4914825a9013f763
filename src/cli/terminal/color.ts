import { styleText } from 'node:util';

type Color = 'green' | 'yellow' | 'red';

/** The API's states that people look for. */
const STATES: Readonly<Record<Color, readonly string[]>> = {
  green: ['active', 'approved', 'paid', 'processed', 'sale', 'succeeded', 'matched'],
  yellow: ['pending', 'queued', 'processing', 'held', 'flagged', 'unattributed', 'disputed', 'unknown'],
  red: ['failed', 'dead', 'rejected', 'refunded', 'canceled'],
};
const COLORS = new Map(
  Object.entries(STATES).flatMap(([color, states]) => states.map((state) => [state, color as Color])),
);

/** The cell of a table in the color of its state; only where stdout is a terminal, and not with NO_COLOR. */
export function paintState(text: string): string {
  const color = COLORS.get(text.trim());
  return color === undefined ? text : paint(color, text);
}

export function paintHeading(text: string): string {
  return paint('bold', text);
}

function paint(format: Color | 'bold', text: string): string {
  // Node checks this variable for a terminal, but not for a stream that replaces one
  return process.env.NO_COLOR ? text : styleText(format, text, { stream: process.stdout });
}
