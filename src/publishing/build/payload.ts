import type { AutoExperiment, FeatureDefinition } from '@growthbook/growthbook';
import type { AutoExperimentVariation } from '@growthbook/growthbook';
import { hasLeaf, isUnknownElsewhere } from './audience-condition';
import { experimentKey, filtersOf, ruleOf } from './bucketing';
import { urlTargets } from './url-targets';
import type { LiveExperiment, LivePage } from '../definitions';
import { HASH_ATTRIBUTE, HASH_VERSION } from '../evaluation';

/** The payload that SDKs of the GrowthBook family read: `features` for servers, `experiments` for browsers. */
export interface Payload {
  features: Record<string, FeatureDefinition>;
  experiments: AutoExperiment[];
}

/** The payload of running experiments; no names, because it is public. */
export function payloadOf(experiments: readonly LiveExperiment[]): Payload {
  return {
    features: Object.fromEntries(experiments.map((each) => [each.api_name, featureOf(each)])),
    experiments: experiments.map(autoExperimentOf),
  };
}

/** The part of a payload with some of its experiments. */
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

/** Without a default value, so that visitors who do not take part get the fallback of the caller. */
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

/** There is always some css, because the SDK does not run experiments without changes, not even A/A tests. */
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
