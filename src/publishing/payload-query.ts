import { querySwitch } from '../common/http/query-switch';
import type { Payload } from './build/payload';
import { environmentOf } from './environment-query';
import type { Published } from './published';

/**
 * The payload for `?environment=` and `?experiments=1`. SDKs run `experiments` automatically, which makes every
 * visitor a participant of all of them when a page is loaded.
 * @throws ValidationError if a parameter is invalid
 */
export function requestedPayload(query: unknown, published: Published): Payload | null {
  const payload = published.payloads.get(environmentOf(query, published));
  const variants = payload === undefined ? null : variantsOf(payload);
  return variants && (querySwitch(query, 'experiments') ? variants.whole : variants.features);
}

interface Variants {
  /** Without experiments. */
  features: Payload;
  /** With the experiments that run without the snippet. */
  whole: Payload;
}

/** Payloads are immutable, so their variants are created once. Serialized payloads are cached by these objects. */
const known = new WeakMap<Payload, Variants>();

function variantsOf(payload: Payload): Variants {
  const made = known.get(payload) ?? {
    features: { ...payload, experiments: [] },
    whole: { ...payload, experiments: payload.experiments.filter(runsWithoutSnippet) },
  };
  known.set(payload, made);
  return made;
}

const SNIPPET_GLOBAL = /\bgosset\b/;

/** An SDK would apply the styles of an experiment whose script needs the snippet, and then fail: half a variation. */
const runsWithoutSnippet = ({ variations }: Payload['experiments'][number]): boolean =>
  !variations.some(({ js }) => js !== undefined && SNIPPET_GLOBAL.test(js));
