import type { Commission } from '../../../core/terms.ts';

/** A partner who has referred customers before the story begins. */
export interface HistoryPartner {
  key: string;
  name: string;
  email: string;
  commission?: Commission;
  /** The share of all visits, relative to the other partners'. */
  weight: number;
  /** Days after the beginning of the history. */
  joinsOnDay: number;
  /** How many of a hundred visits sign up. */
  signUpPercent: number;
}

/** The partners of the story, who also have some history. */
export const STORY_HISTORY = {
  ana: { weight: 9, joinsOnDay: 0, signUpPercent: 13 },
  ben: { weight: 5, joinsOnDay: 20, signUpPercent: 11 },
  cleo: { weight: 4, joinsOnDay: 60, signUpPercent: 10 },
} as const;

const THIRTY_PERCENT: Commission = { type: 'percentage', rateBasisPoints: 3000 };

/** All of them are invented. */
export const HISTORY_PARTNERS: readonly HistoryPartner[] = [
  partner('Mossy Mornings', 'mossy', { weight: 14, joinsOnDay: 0, signUpPercent: 14 }),
  partner('Jonas Weber', 'jonas', { weight: 8, joinsOnDay: 8, signUpPercent: 11 }),
  partner('Plant Parenthood Weekly', 'plantweekly', { weight: 12, joinsOnDay: 30, signUpPercent: 12 }),
  partner('Lucía Ortega', 'lucia', { weight: 6, joinsOnDay: 45, signUpPercent: 15 }),
  partner('The Balcony Club', 'balcony', { weight: 9, joinsOnDay: 75, signUpPercent: 9 }),
  { ...partner('Sam Okafor', 'sam', { weight: 5, joinsOnDay: 100, signUpPercent: 12 }), commission: THIRTY_PERCENT },
  partner('Nina Petrov', 'nina', { weight: 4, joinsOnDay: 130, signUpPercent: 10 }),
  partner('Urban Jungle Podcast', 'jungle', { weight: 16, joinsOnDay: 150, signUpPercent: 8 }),
  partner('Theo Martin', 'theo', { weight: 3, joinsOnDay: 185, signUpPercent: 13 }),
  partner('Aiko Tanaka', 'aiko', { weight: 6, joinsOnDay: 215, signUpPercent: 14 }),
  partner('Green Thumb Reviews', 'greenthumb', { weight: 10, joinsOnDay: 250, signUpPercent: 10 }),
  partner('Ingrid Dahl', 'ingrid', { weight: 3, joinsOnDay: 320, signUpPercent: 12 }),
];

type Numbers = Pick<HistoryPartner, 'weight' | 'joinsOnDay' | 'signUpPercent'>;

function partner(name: string, key: string, numbers: Numbers): HistoryPartner {
  return { name, key, email: `${key}@example.com`, ...numbers };
}

export const FIRST_NAMES =
  'Ada Bruno Carla Dmitri Elif Farah Gustav Hana Ivo Jade Kofi Lena Milo Noor Oskar Priya Quentin Rosa Sven Tara Uma Viktor Wren Ximena Yusuf Zoe'.split(
    ' ',
  );

export const LAST_NAMES =
  'Abbott Berg Castell Dufour Ekström Fontana Grau Hale Ibarra Jansen Kim Lindqvist Moreau Nakamura Olsen Park Quinn Rossi Sato Thorne Ueda Vance Weiss Young Zeman'.split(
    ' ',
  );

/** Where visitors come from; null when their browser does not say. */
export const REFERRERS = [
  null,
  null,
  'www.google.com',
  'news.example.com',
  'blog.example.com',
  'video.example.com',
] as const;

export const DEVICES = ['desktop', 'desktop', 'mobile', 'mobile', 'mobile', 'tablet'] as const;

export const COUNTRIES = ['US', 'US', 'US', 'DE', 'GB', 'FR', 'SE', 'ES', 'JP', 'CA'] as const;
