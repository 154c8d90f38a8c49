import type {
  Code,
  SnippetConfig,
  SnippetExperiment,
  SnippetPage,
  SnippetVariation,
} from '../../src/publishing/runtime/config';

/* Snippet configurations as the publisher writes them, with the project's code as text. */

export const CLIENT_KEY = 'pk_snippettestsnippettest00';

/** A type in which functions are replaced with their bodies as text. */
type Written<T> = T extends Code
  ? string
  : T extends (infer Item)[]
    ? Written<Item>[]
    : T extends object
      ? { [Field in keyof T]: Written<T[Field]> }
      : T;

export type WrittenConfig = Written<SnippetConfig>;
export type WrittenExperiment = Written<SnippetExperiment>;
export type WrittenVariation = Written<SnippetVariation>;

const CODE_FIELDS: readonly string[] = ['js', 'resetJs', 'environments', 'conditions'];

/** The argument of `start`, as source code. */
export const literalOf = (config: WrittenConfig): string => literal(config, false);

function literal(value: unknown, isCode: boolean): string {
  if (isCode && typeof value === 'string') {
    return `function(){${value}\n}`;
  }
  if (Array.isArray(value)) {
    return `[${value.map((item) => literal(item, isCode)).join()}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${literal(field, isCode || holdsCode(name, field))}`).join()}}`;
  }
  return JSON.stringify(value);
}

/** Whether a field contains code. `environments` contains code in a configuration, but only names in an experiment. */
const holdsCode = (name: string, value: unknown): boolean =>
  CODE_FIELDS.includes(name) && !(name === 'environments' && Array.isArray(value));

export const ORIGINAL = 5001;
export const VARIATION = 5002;

/** The rule of an experiment that shows the variation to half of the visitors. */
export const HALF = {
  key: 'exp-1001',
  ranges: [
    [0, 0.5],
    [0.5, 1],
  ] as [number, number][],
  variations: [ORIGINAL, VARIATION],
};

export const anywhere = (activation: SnippetPage['activation'] = 'immediate'): SnippetPage => ({
  activation,
  wanted: [],
  unwanted: [],
});

/** A page that matches all URLs with this path. */
export const pageAt = (path: string, activation: SnippetPage['activation'] = 'immediate'): SnippetPage => ({
  activation,
  wanted: [`^[^?#]*${path}(?:[?#].*)?$`],
  unwanted: [],
});

/** An experiment in which all visitors see the variation. */
export function experiment(fields: Partial<WrittenExperiment> = {}): WrittenExperiment {
  const id = fields.id ?? 1001;
  return {
    id,
    apiName: `experiment_${id}`,
    environments: ['production'],
    pages: [anywhere()],
    rule: {
      key: `exp-${id}`,
      ranges: [
        [0, 0],
        [0, 1],
      ],
      variations: [ORIGINAL, VARIATION],
    },
    variations: [{ id: ORIGINAL }, { id: VARIATION, css: 'h1{color:rgb(255,0,0)}' }],
    ...fields,
  };
}

/** Two variations. All visitors see the second. */
export const varied = (variation: Omit<WrittenVariation, 'id'>): WrittenVariation[] => [
  { id: ORIGINAL },
  { id: VARIATION, ...variation },
];

export function config(fields: Partial<WrittenConfig> = {}): Omit<WrittenConfig, 'host'> {
  return {
    clientKey: CLIENT_KEY,
    build: 'b0',
    storage: 'localStorage',
    environments: { production: 'return true;' },
    conditions: [],
    experiments: [experiment()],
    clickGoals: [],
    viewedPages: [],
    ...fields,
  };
}
