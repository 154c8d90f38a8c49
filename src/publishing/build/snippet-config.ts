import { mapInTurns } from '../../common/event-loop';
import { compactScript } from '../../common/validation/code';
import { escapeScriptEnd } from '../../common/validation/compact-code';
import { conditionBody } from '../../common/validation/condition-code';
import { effectiveCode } from '../../resources/environments/environment-code';
import { pagePatterns } from '../../resources/pages/page-matching';
import type { LiveDefinitions, LiveExperiment, LiveGoal } from '../definitions';
import type { RuntimeNeeds } from '../runtime-bundle';
import type {
  AddressPatterns,
  SnippetConfig,
  SnippetExperiment,
  SnippetGoal,
  SnippetPage,
} from '../runtime/config';
import { hasLeaf } from './audience-condition';
import { ruleOf } from './bucketing';

/** A configuration as it is written into the script, with functions as source text. */
type Written<T> = T extends () => unknown
  ? FunctionText
  : T extends (infer Item)[]
    ? Written<Item>[]
    : T extends object
      ? { [Key in keyof T]: Written<T[Key]> }
      : T;

export type WrittenConfig = Written<Omit<SnippetConfig, 'experiments'>> & {
  experiments: WrittenExperiment[];
};
type WrittenExperiment = Written<Omit<SnippetExperiment, 'rule'>> & Pick<SnippetExperiment, 'rule'>;

/** The server and the project of a snippet. */
export interface SnippetPlace {
  /** Public URL of the server, without a trailing slash. */
  host: string;
  clientKey: string;
}

const AGENT_TYPES: readonly string[] = ['device', 'browser', 'os'];
const COUNTRY_TYPES: readonly string[] = ['country'];

/** Whether any audience has a condition of one of these types. */
const needs = ({ audiences }: LiveExperiment, types: readonly string[]): boolean =>
  audiences.some((tree) => hasLeaf(tree, ({ type }) => types.includes(type)));

/** The data that the runtime must collect to evaluate audience conditions. */
export const runtimeNeeds = ({ experiments }: LiveDefinitions): RuntimeNeeds => ({
  agent: experiments.some((experiment) => needs(experiment, AGENT_TYPES)),
  country: experiments.some((experiment) => needs(experiment, COUNTRY_TYPES)),
});

/**
 * The snippet configuration. Its `build`, which identifies the publication, stays empty until all other content is
 * known. Yields to other requests between scripts, because parsing takes seconds for large projects.
 * @throws SyntaxError if the code of a function does not parse
 */
export async function snippetConfig(
  definitions: LiveDefinitions,
  place: SnippetPlace,
): Promise<WrittenConfig> {
  const config = await uncompactedConfig(definitions, place);
  await mapInTurns(functionsIn(config), (each) => each.source);
  return config;
}

async function uncompactedConfig(
  definitions: LiveDefinitions,
  { host, clientKey }: SnippetPlace,
): Promise<WrittenConfig> {
  const environments = new Map(definitions.environments.map((each) => [each.id, each]));
  const conditions = new Conditions();
  const goals = definitions.experiments.flatMap((experiment) => experiment.goals);
  const experiments = await mapInTurns(definitions.experiments, (experiment) => {
    const names = experiment.environments.flatMap((id) => environments.get(id)?.api_name ?? []);
    return experimentConfig(experiment, names, conditions, definitions.push_to !== undefined);
  });
  const places = await mapInTurns(definitions.environments, ({ api_name, code }): [string, FunctionText] => [
    api_name,
    new FunctionText(conditionBody(effectiveCode(code))),
  ]);
  return {
    host,
    clientKey,
    build: '',
    storage: definitions.storage,
    pushTo: definitions.push_to,
    environments: Object.fromEntries(places),
    conditions: conditions.functions,
    experiments,
    clickGoals: clickGoals(goals),
    viewedPages: viewedPages(goals),
  };
}

/** The conditions written in JavaScript, without duplicates. */
class Conditions {
  private readonly indices = new Map<string, number>();
  readonly functions: FunctionText[] = [];

  readonly indexOf = (code: string): number => {
    const known = this.indices.get(code);
    if (known !== undefined) {
      return known;
    }
    const index = this.functions.length;
    this.indices.set(code, index);
    this.functions.push(new FunctionText(conditionBody(code)));
    return index;
  };
}

function experimentConfig(
  experiment: LiveExperiment,
  environments: string[],
  conditions: Conditions,
  isAnnounced: boolean,
): WrittenExperiment {
  const { id, api_name, phase, pages, css, js, reset_js, variations } = experiment;
  return {
    id,
    apiName: api_name,
    phase,
    environments,
    ...(needs(experiment, COUNTRY_TYPES) ? { asksCountry: true } : {}),
    pages: pages.map((page): SnippetPage => ({
      activation: page.activation,
      ...pagePatterns(page.conditions),
    })),
    rule: ruleOf(experiment, conditions.indexOf),
    ...changes(css, js),
    ...(isCode(reset_js) ? { resetJs: new FunctionText(reset_js) } : {}),
    variations: variations.map((variation) => ({
      id: variation.id,
      ...(isAnnounced ? { apiName: variation.api_name } : {}),
      ...changes(variation.css, variation.js),
    })),
  };
}

const isCode = (code: string | null): code is string => code !== null && code.trim() !== '';

const changes = (css: string | null, js: string | null) => ({
  ...(isCode(css) ? { css } : {}),
  ...(isCode(js) ? { js: new FunctionText(js) } : {}),
});

/**
 * A goal that belongs to several experiments may have been published with different selectors. A click that matches any
 * of them counts once.
 */
function clickGoals(goals: readonly LiveGoal[]): SnippetGoal[] {
  const selectors = new Map<string, Set<string>>();
  for (const { type, api_name, selector } of goals) {
    if (type === 'click' && selector !== null) {
      selectors.set(api_name, (selectors.get(api_name) ?? new Set()).add(selector));
    }
  }
  return [...selectors].map(([apiName, [first, ...others]]) => ({
    apiName,
    // Inside `:is()`, browsers ignore a selector that they do not support.
    selector: others.length === 0 ? first : `:is(${[first, ...others].join(',')})`,
  }));
}

function viewedPages(goals: readonly LiveGoal[]): AddressPatterns[] {
  const pages = new Map<string, AddressPatterns>();
  for (const { type, conditions } of goals) {
    if (type === 'pageview') {
      const patterns = pagePatterns(conditions ?? []);
      pages.set(JSON.stringify(patterns), patterns);
    }
  }
  return [...pages.values()];
}

/** A function written by a user. */
export class FunctionText {
  private text: string | null = null;

  /** @param body statements that parse as the body of a function */
  constructor(private readonly body: string) {}

  /**
   * The function as source text.
   * @throws SyntaxError if the body does not parse
   */
  get source(): string {
    // The line break ends a comment on the last line, because deeply nested code is not compacted and keeps its
    // comments.
    return (this.text ??= `function(){${compactScript(this.body)}\n}`);
  }
}

/** The functions in a configuration, at any depth. */
function functionsIn(value: unknown): FunctionText[] {
  if (value instanceof FunctionText) {
    return [value];
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(functionsIn) : [];
}

/**
 * A value as JavaScript source: plain objects, arrays, text, numbers, booleans, and functions. Undefined fields of
 * objects are omitted.
 * @throws SyntaxError if the code of a function does not parse
 */
export function sourceText(value: unknown): string {
  if (value instanceof FunctionText) {
    return value.source;
  }
  if (Array.isArray(value)) {
    return `[${value.map(sourceText).join(',')}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
    return `{${entries.map(([key, entry]) => `${keyText(key)}:${sourceText(entry)}`).join(',')}}`;
  }
  return value === undefined ? 'undefined' : escapeScriptEnd(JSON.stringify(value));
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** An object key as source. Written as a plain key, `__proto__` would set the prototype. */
function keyText(key: string): string {
  if (key === '__proto__') {
    return `["${key}"]`;
  }
  return IDENTIFIER.test(key) ? key : sourceText(key);
}
