/** A value that is needed to read a source, from an environment variable or a question. */
export interface SourceCredential {
  name: string;
  /** `REWARDFUL_API_SECRET` */
  variable: string;
  /** What it is and where to find it. */
  question: string;
  /** False for a value that may be shown, such as the id of an account. */
  isSecret: boolean;
}

/** The name of a service and what is needed to read it; also for pages, which know nothing else about it. */
export interface SourceForm {
  /** In commands, routes and records. */
  name: string;
  /** For sentences: `Rewardful`. */
  title: string;
  /** The production address of its API; a setting can replace it. */
  apiUrl: string;
  /** True if the programs there, with their terms, are imported. */
  hasPrograms: boolean;
  credentials: readonly SourceCredential[];
}

/** Characters that headers and addresses carry unchanged: printable ASCII without spaces. */
export const CREDENTIAL = /^[!-~]+$/;
export const CREDENTIAL_RULE = 'must have only letters, digits and punctuation of ASCII, without spaces: copy it again';

export const SOURCE_FORMS = {
  rewardful: {
    name: 'rewardful',
    title: 'Rewardful',
    apiUrl: 'https://api.getrewardful.com/v1',
    hasPrograms: true,
    credentials: [
      {
        name: 'secret',
        variable: 'REWARDFUL_API_SECRET',
        question: 'The API secret of Rewardful (Company settings): ',
        isSecret: true,
      },
    ],
  },
  dub: {
    name: 'dub',
    title: 'Dub',
    apiUrl: 'https://api.dub.co',
    hasPrograms: false,
    credentials: [
      { name: 'key', variable: 'DUB_API_KEY', question: 'An API key of Dub that may read partners: ', isSecret: true },
    ],
  },
  tolt: {
    name: 'tolt',
    title: 'Tolt',
    apiUrl: 'https://api.tolt.com/v1',
    hasPrograms: false,
    credentials: [
      {
        name: 'key',
        variable: 'TOLT_API_KEY',
        question: 'The API key of Tolt (Settings, Integrations): ',
        isSecret: true,
      },
      { name: 'programId', variable: 'TOLT_PROGRAM_ID', question: 'The id of the program, prg_…: ', isSecret: false },
      {
        name: 'currency',
        variable: 'TOLT_CURRENCY',
        question: 'The currency of the program, such as USD: ',
        isSecret: false,
      },
    ],
  },
  firstpromoter: {
    name: 'firstpromoter',
    title: 'FirstPromoter',
    apiUrl: 'https://api.firstpromoter.com/api/v2/company',
    hasPrograms: false,
    credentials: [
      {
        name: 'key',
        variable: 'FIRSTPROMOTER_API_KEY',
        question: 'The API key of FirstPromoter (Settings, Integrations): ',
        isSecret: true,
      },
      {
        name: 'accountId',
        variable: 'FIRSTPROMOTER_ACCOUNT_ID',
        question: 'The account id, beside the key: ',
        isSecret: false,
      },
      {
        name: 'currency',
        variable: 'FIRSTPROMOTER_CURRENCY',
        question: 'The currency of the account, such as USD: ',
        isSecret: false,
      },
    ],
  },
  partnerstack: {
    name: 'partnerstack',
    title: 'PartnerStack',
    apiUrl: 'https://api.partnerstack.com/api/v2',
    hasPrograms: false,
    credentials: [
      {
        name: 'publicKey',
        variable: 'PARTNERSTACK_PUBLIC_KEY',
        question: 'The public key of PartnerStack (Settings, Integrations): ',
        isSecret: false,
      },
      {
        name: 'secretKey',
        variable: 'PARTNERSTACK_SECRET_KEY',
        question: 'The secret key of PartnerStack (Settings, Integrations): ',
        isSecret: true,
      },
      {
        name: 'currency',
        variable: 'PARTNERSTACK_CURRENCY',
        question: 'The currency of rewards that name none, such as USD: ',
        isSecret: false,
      },
    ],
  },
} as const satisfies Readonly<Record<string, SourceForm>>;
