import { styleText } from 'node:util';

type Colour = 'green' | 'yellow' | 'red';

/** The API's states that people look for. */
const STATES: Readonly<Record<Colour, readonly string[]>> = {
  green: ['active', 'approved', 'paid', 'processed', 'sale', 'succeeded', 'matched'],
  yellow: ['pending', 'queued', 'processing', 'flagged', 'unattributed', 'disputed', 'unknown'],
  red: ['failed', 'dead', 'rejected', 'refunded', 'canceled'],
};
const COLOURS = new Map(
  Object.entries(STATES).flatMap(([colour, states]) => states.map((state) => [state, colour as Colour])),
);

/** The cell of a table in the colour of its state; only where stdout is a terminal, and not with NO_COLOR. */
export function paintState(text: string): string {
  const colour = COLOURS.get(text.trim());
  return colour === undefined ? text : paint(colour, text);
}

export function paintHeading(text: string): string {
  return paint('bold', text);
}

function paint(format: Colour | 'bold', text: string): string {
  // Node checks this variable for a terminal, but not for a stream that replaces one
  return process.env.NO_COLOR ? text : styleText(format, text, { stream: process.stdout });
}
