import { formatMicros, formatOptionalMicros } from '../common/time/clock';
import { listValue, RawQuery, singleValue } from '../common/lists/list-query';
import type { Failures } from '../common/validation/failures';
import { ATTACHMENT_KINDS, AttachmentKind, Attachments } from './attachment.store';
import type { Experiment } from './experiment.entity';
import type { ExperimentRecord, PartialExperimentRecord } from './experiment.record';

export type ExperimentField = keyof ExperimentRecord;
export type ExperimentVariations = Required<PartialExperimentRecord>['variations'];

/** The parts of an experiment record. */
export interface ExperimentParts {
  row: Experiment;
  attachments: Attachments;
  variations: ExperimentVariations;
}

/** The fields of the record, in display order. */
const MAKERS: { [F in ExperimentField]: (parts: ExperimentParts) => PartialExperimentRecord[F] } = {
  id: ({ row }) => row.id,
  project_id: ({ row }) => row.project_id,
  name: ({ row }) => row.name,
  api_name: ({ row }) => row.api_name,
  status: ({ row }) => row.status,
  description: ({ row }) => row.description,
  hypothesis: ({ row }) => row.hypothesis,
  example_url: ({ row }) => row.example_url,
  traffic_allocation: ({ row }) => row.traffic_allocation,
  exclusion_group_id: ({ row }) => row.exclusion_group_id,
  exclusion_share: ({ row }) => row.exclusion_share,
  audiences_match_type: ({ row }) => row.audiences_match_type,
  tags: ({ row }) => row.tags,
  js: ({ row }) => row.js,
  reset_js: ({ row }) => row.reset_js,
  css: ({ row }) => row.css,
  variations: ({ variations }) => variations,
  audiences: ({ attachments }) => attachments.audiences,
  pages: ({ attachments }) => attachments.pages,
  goals: ({ attachments }) => attachments.goals,
  guardrails: ({ attachments }) => attachments.guardrails,
  guardrail_action: ({ row }) => row.guardrail_action,
  environments: ({ attachments }) => attachments.environments,
  minimum_effect: ({ row }) => row.minimum_effect,
  planned_participants: ({ row }) => row.planned_participants,
  planned_end: ({ row }) => row.planned_end,
  decision: ({ row }) => row.decision,
  shared: ({ row }) => row.shared,
  starts_at: ({ row }) => row.starts_at,
  ends_at: ({ row }) => row.ends_at,
  schedule_error: ({ row }) => row.schedule_error,
  started_at: ({ row }) => formatOptionalMicros(row.started_at),
  paused_at: ({ row }) => formatOptionalMicros(row.paused_at),
  paused_reason: ({ row }) => row.paused_reason,
  archived_at: ({ row }) => formatOptionalMicros(row.archived_at),
  created_at: ({ row }) => formatMicros(row.created_at),
  updated_at: ({ row }) => formatMicros(row.updated_at),
};

export const EXPERIMENT_FIELDS = Object.keys(MAKERS) as ExperimentField[];

/** The record, reduced to the selected fields if there is a selection. */
export function toExperimentRecord(
  parts: ExperimentParts,
  fields: readonly ExperimentField[],
): ExperimentRecord {
  const record: Record<string, unknown> = {};
  for (const field of fields) {
    record[field] = MAKERS[field](parts);
  }
  return record as unknown as ExperimentRecord;
}

/** The parts of an experiment in a response. */
export interface Selection {
  fields: readonly ExperimentField[];
  variations: 'full' | 'lite' | 'none';
}

export const EVERYTHING: Selection = { fields: EXPERIMENT_FIELDS, variations: 'full' };

const isAttachmentKind = (field: string): field is AttachmentKind =>
  ATTACHMENT_KINDS.includes(field as AttachmentKind);

/** The kinds of attachments that are shown. */
export function attachmentKinds({ fields }: Selection): AttachmentKind[] {
  return fields.filter(isAttachmentKind);
}

/** The columns needed for the selected fields and for internal use. */
export function experimentColumns({ fields, variations }: Selection): (keyof Experiment)[] {
  const own = fields.filter(
    (field) => field !== 'variations' && !isAttachmentKind(field),
  ) as (keyof Experiment)[];
  const needed: (keyof Experiment)[] =
    variations === 'full' ? ['id', 'version', 'example_url', 'preview_version'] : ['id', 'version'];
  return [...new Set([...needed, ...own])];
}

/** Reads the parameters `fields` and, for lists, `variations`. */
export function readSelection(query: RawQuery, isList: boolean, failures: Failures): Selection {
  const fields = readFields(query, failures);
  const lite = isList ? singleValue(query, 'variations', failures) : null;
  if (lite !== null && lite !== 'lite') {
    failures.add('variations', 'The variations parameter must be lite.');
  }
  const form = lite === null ? 'full' : 'lite';
  return { fields, variations: fields.includes('variations') ? form : 'none' };
}

function readFields(query: RawQuery, failures: Failures): readonly ExperimentField[] {
  const asked = listValue(query, 'fields');
  if (asked === null) {
    return EXPERIMENT_FIELDS;
  }
  const known: readonly string[] = EXPERIMENT_FIELDS;
  const unknown = asked.filter((field) => !known.includes(field));
  if (asked.length === 0 || unknown.length > 0) {
    const what =
      asked.length === 0 ? 'The parameter names no field.' : `Unknown: ${unknown.join(', ').slice(0, 200)}.`;
    failures.add('fields', `${what} The fields are: ${EXPERIMENT_FIELDS.join(', ')}.`);
  }
  return EXPERIMENT_FIELDS.filter((field) => asked.includes(field));
}
