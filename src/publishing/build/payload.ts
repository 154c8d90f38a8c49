import type {
  AutoExperiment,
  AutoExperimentVariation,
  FeatureDefinition,
  UrlTarget,
} from '@growthbook/growthbook';
import type { PageCondition, PageMatch } from '../../resources/pages/page-conditions';
import { pagePatterns } from '../../resources/pages/page-matching';
import { hasLeaf, isUnknownElsewhere } from './audience-condition';
import { experimentKey } from '../../events/exposure';
import { filtersOf, ruleOf } from './bucketing';
import type { LiveExperiment, LivePage } from '../definitions';
import { HASH_ATTRIBUTE, HASH_VERSION } from '../evaluation';

/**
 * Numbered or named references to groups. If patterns were combined, the references would point to different groups.
 */
const GROUP_REFERENCE = /\\[1-9k]|\(\?<[a-z_$]/i;

/**
 * The pages of an experiment as SDK targets: empty if every URL matches, null if the SDK cannot express them. The SDK
 * has a single list of included and excluded patterns for all pages, and also tests each pattern against the path
 * alone.
 */
export function urlTargets(pages: readonly (readonly PageCondition[])[]): UrlTarget[] | null {
  if (pages.some((conditions) => conditions.length === 0)) {
    return [];
  }
  const wanting = pages.filter((conditions) => conditions.some(({ negate }) => !negate));
  if (wanting.length === 0) {
    return [target(NEVER, true)];
  }
  const hasUnwanted = wanting.some((conditions) => conditions.some(({ negate }) => negate));
  if (wanting.length === 1 || !hasUnwanted) {
    return wanting.flat().map((condition) => target(wholeAddress(condition), !condition.negate));
  }
  return wanting.flat().some(({ match, value }) => match === 'regex' && GROUP_REFERENCE.test(value))
    ? null
    : wanting.map((conditions) => target(ofPage(conditions), true));
}

/**
 * A pattern that matches nothing. It is used if every page has only negated conditions, because such pages match
 * nothing.
 */
const NEVER = '^(?!)';

const target = (pattern: string, include: boolean): UrlTarget => ({ type: 'regex', pattern, include });

const somewhere = (source: string): string => `[\\s\\S]*?(?:${source})`;

/** The comparisons that could match the path alone. */
const ANCHORED: readonly PageMatch[] = ['exact', 'starts_with', 'regex'];

/** The pattern for a condition, anchored so that it never matches the path alone if the URL does not match. */
function wholeAddress(condition: PageCondition): string {
  const { wanted, unwanted } = pagePatterns([condition]);
  const [source] = [...wanted, ...unwanted];
  return ANCHORED.includes(condition.match) ? `^(?!\\/)(?=${somewhere(source)})` : source;
}

/** One pattern for all conditions of a page. */
function ofPage(conditions: readonly PageCondition[]): string {
  const { wanted, unwanted } = pagePatterns(conditions);
  const none = unwanted.map((source) => `(?!${somewhere(source)})`).join('');
  const any = somewhere(wanted.map((source) => `(?:${source})`).join('|'));
  return `^(?!\\/)${none}(?=${any})`;
}

/** The payload that GrowthBook SDKs read: `features` for servers, `experiments` for browsers. */
export interface Payload {
  features: Record<string, FeatureDefinition>;
  experiments: AutoExperiment[];
}

/** The payload of running experiments. It is public, so it contains no names. */
export function payloadOf(experiments: readonly LiveExperiment[]): Payload {
  return {
    features: Object.fromEntries(experiments.map((each) => [each.api_name, featureOf(each)])),
    experiments: experiments.map(autoExperimentOf),
  };
}

/** The part of a payload that contains the given experiments. */
export function payloadFor(
  { features, experiments }: Payload,
  chosen: readonly { id: number; api_name: string }[],
) {
  const keys = new Set(chosen.map(({ id }) => experimentKey(id)));
  return {
    features: Object.fromEntries(chosen.map(({ api_name }) => [api_name, features[api_name]])),
    experiments: experiments.filter(({ key }) => keys.has(key)),
  };
}

const hashing = (key: string, { phase }: LiveExperiment) => ({
  key,
  seed: key,
  hashAttribute: HASH_ATTRIBUTE,
  hashVersion: HASH_VERSION,
  ...(phase === undefined ? {} : { phase: String(phase) }),
});

const metaOf = (ids: readonly (number | null)[]) => ids.map((id) => (id === null ? {} : { key: String(id) }));

/**
 * The feature of an experiment. It has no default value, so visitors who do not take part get the caller's fallback
 * value.
 */
function featureOf(experiment: LiveExperiment): FeatureDefinition {
  const { key, ranges, variations, condition, ...filters } = ruleOf(experiment, 'excluded');
  const names = new Map(experiment.variations.map(({ id, api_name }) => [id, api_name]));
  return {
    rules: [
      {
        ...hashing(key, experiment),
        ranges,
        ...filtersOf(filters),
        variations: variations.map((id) => (id === null ? null : names.get(id))),
        meta: metaOf(variations),
        ...(condition === undefined ? {} : { condition }),
      },
    ],
  };
}

function autoExperimentOf(experiment: LiveExperiment): AutoExperiment {
  const { key, ranges, variations, condition, ...filters } = ruleOf(experiment, 'included');
  const targets = urlTargets(experiment.pages.map(({ conditions }) => conditions));
  const isKnown = !experiment.audiences.some((tree) => hasLeaf(tree, isUnknownElsewhere));
  const isManual = targets === null || !isKnown || !experiment.pages.some(isActivatedByAddress);
  return {
    ...hashing(key, experiment),
    ranges,
    ...filtersOf(filters),
    variations: variations.map((id) => changesOf(experiment, id)) as AutoExperiment['variations'],
    meta: metaOf(variations),
    ...(condition === undefined ? {} : { condition }),
    ...(targets === null || targets.length === 0 ? {} : { urlPatterns: targets }),
    ...(isManual ? { manual: true } : {}),
  };
}

const isActivatedByAddress = ({ activation }: LivePage): boolean =>
  activation === 'immediate' || activation === 'url_change';

/**
 * The `css` field is always present, even if it is empty, because the SDK does not run experiments without changes, not
 * even A/A tests.
 */
function changesOf({ css, js, variations }: LiveExperiment, id: number | null): AutoExperimentVariation {
  const variation = variations.find((each) => each.id === id);
  if (variation === undefined) {
    return { css: '' };
  }
  const script = joined('\n;\n', js, variation.js);
  return { css: joined('\n', css, variation.css), ...(script === '' ? {} : { js: script }) };
}

const joined = (separator: string, ...pieces: (string | null)[]): string =>
  pieces.filter((piece) => piece !== null && piece !== '').join(separator);
