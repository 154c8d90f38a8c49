import type { ExperimentRecord } from '../../experiments/experiment.record';
import type { VariationRecord } from '../../experiments/variations/variation.record';
import type { Arguments, Reference, Shape } from '../reference';

/* How tools show experiments and variations. Code can be long, so it is shown only on request. */

export interface OfProject extends Arguments {
  project_id: number;
}

export interface OfExperiment extends OfProject {
  experiment_id: number;
}

const ATTACHED = { id: true, name: true } as const;

const VARIATION = {
  id: true,
  name: true,
  api_name: true,
  description: true,
  is_original: true,
  traffic_allocation: true,
  preview_url: true,
  js: true,
  css: true,
} as const;

const EXPERIMENT = {
  id: true,
  project_id: true,
  name: true,
  api_name: true,
  status: true,
  description: true,
  hypothesis: true,
  example_url: true,
  traffic_allocation: true,
  exclusion_group_id: true,
  exclusion_share: true,
  audiences_match_type: true,
  tags: true,
  js: true,
  reset_js: true,
  css: true,
  audiences: ATTACHED,
  pages: ATTACHED,
  goals: { id: true, name: true, api_name: true, type: true },
  guardrails: { id: true, name: true },
  guardrail_action: true,
  environments: ATTACHED,
  minimum_effect: true,
  planned_participants: true,
  planned_end: true,
  decision: true,
  starts_at: true,
  ends_at: true,
  schedule_error: true,
  started_at: true,
  paused_at: true,
  paused_reason: true,
  archived_at: true,
  updated_at: true,
  variations: VARIATION,
} as const;

/** The fields of an experiment that matter after a status change. */
const STATUS_FIELDS = { id: true, name: true, status: true, started_at: true, paused_at: true } as const;

/** The fields shown in lists. */
export const LISTED = {
  id: true,
  name: true,
  api_name: true,
  status: true,
  tags: true,
  traffic_allocation: true,
  started_at: true,
  updated_at: true,
  variations: { id: true, name: true, is_original: true },
} as const;

type Variation = Pick<VariationRecord, keyof typeof VARIATION>;
type Experiment = Pick<ExperimentRecord, Exclude<keyof typeof EXPERIMENT, 'variations'>> & {
  variations: Variation[];
};
type StatusView = Pick<ExperimentRecord, keyof typeof STATUS_FIELDS>;

interface Answer {
  body: unknown;
  headers: Readonly<Record<string, string | undefined>>;
}

/** Selects the fields of experiments and variations in responses. */
export class ExperimentViews {
  private readonly experiments: Shape<Experiment>;
  private readonly variations: Shape<Variation>;
  private readonly statusViews: Shape<StatusView>;

  constructor(reference: Reference) {
    this.experiments = reference.shape('ExperimentRecord', EXPERIMENT);
    this.variations = reference.shape('VariationRecord', VARIATION);
    this.statusViews = reference.shape('ExperimentRecord', STATUS_FIELDS);
  }

  experiment({ body, headers }: Answer, withCode = false) {
    const { js, reset_js, css, variations, ...rest } = this.experiments.take(body);
    const experiment = {
      ...rest,
      ...codeParts({ js, reset_js, css }, withCode),
      variations: variations.map((each) => withoutCode(each, withCode)),
    };
    return { experiment, if_match: headers.etag ?? '' };
  }

  /** The experiment after a status change. */
  status({ body, headers }: Answer) {
    return { experiment: this.statusViews.take(body), if_match: headers.etag ?? '' };
  }

  variation({ body, headers }: Answer, withCode = false) {
    return {
      variation: withoutCode(this.variations.take(body), withCode),
      if_match: headers.etag ?? '',
    };
  }
}

function withoutCode({ js, css, ...rest }: Variation, withCode: boolean) {
  return { ...rest, ...codeParts({ js, css }, withCode) };
}

/** The code or, for each existing part, its length. */
function codeParts(parts: Record<string, string | null>, withCode: boolean) {
  const lengths = Object.entries(parts).flatMap(([name, text]) =>
    text ? [[name, text.length] as const] : [],
  );
  return { ...(withCode ? parts : {}), code_characters: Object.fromEntries(lengths) };
}
