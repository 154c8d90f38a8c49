import { compilePage } from '../resources/pages/page-matching';
import { Payload, payloadFor } from './build/payload';
import { ruleOf } from './build/bucketing';
import { ExperimentNames, type KnownExperiment } from './published-names.store';
import type { LiveDefinitions, LiveExperiment } from './definitions';
import { linearCondition } from './linear-conditions';
import type { PublicationParts } from './publication.store';
import type { DecidableExperiment, Published } from './published';

/** One revision of a project, with all the data that delivery needs, as read from the database and cached on disk. */
export interface Revision {
  projectId: number;
  clientKey: string;
  /** 0 before the first publication. */
  revision: number;
  /** SHA-256 of the script, in hexadecimal. */
  sha256: string;
  names: readonly KnownExperiment[];
  parts: PublicationParts;
}

/** Prepares a revision for serving. */
export function toPublished({ projectId, clientKey, revision, sha256, names, parts }: Revision): Published {
  const { environments, experiments } = JSON.parse(parts.definitions.toString()) as LiveDefinitions;
  const payload = JSON.parse(parts.payload.toString()) as Payload;
  const places = [...environments]
    .sort((a, b) => Number(b.is_default) - Number(a.is_default) || a.id - b.id)
    .map(({ id, api_name }) => ({ id, api_name }));
  const payloads = places.map(({ id, api_name }): [string, Payload] => {
    const own = experiments.filter((experiment) => experiment.environments.includes(id));
    return [api_name, payloadFor(payload, own)];
  });
  const placesById = new Map(places.map(({ id, api_name }) => [id, api_name]));
  const compile = sharedBySource(compilePage);
  const linear = sharedBySource(linearCondition);
  const { script: plain, script_gzip: gzip, script_brotli: brotli } = parts;
  return {
    projectId,
    clientKey,
    revision,
    environments: places.map(({ api_name }) => api_name),
    experiments: experiments.map((experiment) => decidable(experiment, placesById, compile, linear)),
    names: new ExperimentNames(names),
    payloads: new Map(payloads),
    snippet: { plain, gzip, brotli, sha256 },
    bytes: Object.values(parts).reduce((sum, { length }) => sum + length, 0),
  };
}

function decidable(
  experiment: LiveExperiment,
  environments: ReadonlyMap<number, string>,
  compile: typeof compilePage,
  linear: typeof linearCondition,
): DecidableExperiment {
  const { id, api_name, phase, variations, pages } = experiment;
  const { condition, ...rule } = ruleOf(experiment, 'excluded');
  return {
    id,
    api_name,
    phase,
    environments: experiment.environments.flatMap((each) => environments.get(each) ?? []),
    rule: condition === undefined ? rule : { ...rule, ...linear(condition) },
    variations: variations.map((variation) => ({ id: variation.id, api_name: variation.api_name })),
    original: variations.find(({ is_original }) => is_original)?.api_name ?? null,
    pages: pages.map((page) => ({
      id: page.id,
      api_name: page.api_name,
      matcher: compile(page.conditions),
    })),
  };
}

/** Prepares identical sources only once, so experiments with the same pages or audiences share an evaluation. */
function sharedBySource<S, T>(prepare: (source: S) => T): (source: S) => T {
  const known = new Map<string, T>();
  return (source) => {
    const key = JSON.stringify(source);
    const prepared = known.get(key) ?? prepare(source);
    known.set(key, prepared);
    return prepared;
  };
}
