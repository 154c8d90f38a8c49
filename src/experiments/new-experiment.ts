import { randomBytes } from 'node:crypto';
import { nameColumns } from '../common/text/names';
import type { Micros } from '../common/time/clock';
import type { UpdateExperiment } from './experiment.dto';
import type { Experiment } from './experiment.entity';

export type ExperimentColumns = Omit<Experiment, 'id' | 'project'>;

/** 32 random bytes. */
export function newShareToken(): string {
  return randomBytes(32).toString('base64url');
}

/** The columns of a new draft; what is not given has its default. */
export function newExperimentColumns(
  fields: Partial<UpdateExperiment>,
  name: string,
  apiName: string,
  projectId: number,
  now: Micros,
): ExperimentColumns {
  return {
    ...nameColumns(name),
    project_id: projectId,
    api_name: apiName,
    status: 'draft',
    description: fields.description ?? null,
    example_url: fields.example_url ?? null,
    traffic_allocation: fields.traffic_allocation ?? 100,
    audiences_match_type: fields.audiences_match_type ?? 'any',
    tags: fields.tags ?? [],
    js: fields.js ?? null,
    reset_js: fields.reset_js ?? null,
    css: fields.css ?? null,
    share_token: newShareToken(),
    started_at: null,
    paused_at: null,
    archived_at: null,
    version: 1,
    created_at: now,
    updated_at: now,
    deleted_at: null,
    trash_slot: 0,
  };
}
