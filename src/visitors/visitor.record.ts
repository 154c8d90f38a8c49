import { ApiExtraModels, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import { MAX_VISITOR_ID } from '../common/limits';
import { SAMPLE_VISITOR } from '../common/openapi/sample-ids';
import { Output } from '../common/validation/fields';
import { Timestamp } from '../common/validation/record-fields';
import { DEVICE_TYPES } from '../events/device-types';
import { type Reason, REASONS } from './visitor-outcomes';

const ID = { type: 'integer', minimum: 1 } as const;
const VISITOR = { type: 'string', maxLength: MAX_VISITOR_ID } as const;
const DEVICE = { type: 'string' as const, enum: [...DEVICE_TYPES] };
const REASON = { type: 'string' as const, enum: Object.keys(REASONS), nullable: true };

@ApiSchema({ description: 'An id of the visitor.' })
export class VisitorIdRecord {
  @Output({ ...VISITOR, description: 'The id as sent.' })
  id: string;

  @Output({
    ...VISITOR,
    nullable: true,
    description: 'The canonical id that this id is linked to; null for the canonical id itself.',
  })
  linked_to: string | null;

  @Timestamp({ nullable: true, description: 'When the link arrived.' })
  linked_at: string | null;
}

@ApiSchema({ description: 'The visitor in the results of one experiment.' })
export class VisitorExperiment {
  @Output({ ...ID, description: 'Id of the experiment.' })
  experiment_id: number;

  @Output({ type: 'string', description: 'Name of the experiment.' })
  experiment_name: string;

  @Output({ type: 'string', description: 'Current status of the experiment.' })
  status: string;

  @Output({
    ...ID,
    nullable: true,
    description: 'Id of the variation that the visitor saw first; null if this is unknown.',
  })
  variation_id: number | null;

  @Output({
    type: 'string',
    nullable: true,
    description: 'Name of the variation; null if the variation was deleted or is unknown.',
  })
  variation_name: string | null;

  @Timestamp({ nullable: true, description: 'Time of the first exposure; null if it is unknown.' })
  entered_at: string | null;

  @Output({
    ...DEVICE,
    nullable: true,
    description: 'Device type of the first exposure; null if it is unknown.',
  })
  device_type: string | null;

  @Output({
    ...ID,
    nullable: true,
    description: 'Phase of the first exposure; null if it does not count or is unknown.',
  })
  phase: number | null;

  @Output({
    type: 'boolean',
    nullable: true,
    description:
      'Whether the visitor counts as a participant; null if this is unknown because old events of the experiment were removed.',
  })
  is_counted: boolean | null;

  @Output({
    ...REASON,
    description: 'Why the visitor does not count, or why this is unknown; null if the visitor counts.',
  })
  reason: Reason | null;

  @Output({
    type: 'boolean',
    nullable: true,
    description: 'Whether the visitor was later shown another variation; null if this is unknown.',
  })
  is_crossover: boolean | null;
}

@ApiSchema({ description: 'The event in the results of one experiment.' })
export class VisitorEventOutcome {
  @Output({ ...ID, description: 'Id of the experiment.' })
  experiment_id: number;

  @Output({
    type: 'boolean',
    nullable: true,
    description:
      'Whether the event counts; null if this is unknown because old events of the experiment were removed.',
  })
  is_counted: boolean | null;

  @Output({
    ...REASON,
    description: 'Why the event does not count, or why this is unknown; null if it counts.',
  })
  reason: Reason | null;
}

@ApiExtraModels(VisitorEventOutcome)
@ApiSchema({ description: 'A stored event.' })
export class VisitorEventRecord {
  @Output({ ...VISITOR, description: 'The visitor id sent with the event.' })
  visitor_id: string;

  @Output({ type: 'string', description: 'Id of the event, derived from its `messageId`.' })
  event_id: string;

  @Output({ type: 'string', enum: ['exposure', 'conversion'], description: 'Type of the event.' })
  type: 'exposure' | 'conversion';

  @Timestamp({ description: 'When it happened.' })
  occurred_at: string;

  @Timestamp({
    nullable: true,
    description: 'Time of receipt, if it arrived more than 72 hours after the event.',
  })
  arrived_at: string | null;

  @Output({ ...ID, nullable: true, description: 'For exposures: id of the experiment.' })
  experiment_id: number | null;

  @Output({ ...ID, nullable: true, description: 'For exposures: id of the variation.' })
  variation_id: number | null;

  @Output({ ...ID, nullable: true, description: 'For conversions: id of the goal.' })
  goal_id: number | null;

  @Output({ type: 'string', nullable: true, description: 'For conversions: name of the goal.' })
  goal_name: string | null;

  @Output({ type: 'number', nullable: true, description: 'For conversions: value of the conversion.' })
  value: number | null;

  @Output({ ...DEVICE, description: 'Device type.' })
  device_type: string;

  @Output({
    type: 'array',
    items: { $ref: getSchemaPath(VisitorEventOutcome) },
    description: 'How the event counts in the experiments that the visitor was exposed to.',
  })
  outcomes: VisitorEventOutcome[];
}

@ApiSchema({ description: 'An exclusion of the visitor (`admin visitors:exclude`).' })
export class VisitorExclusionRecord {
  @Output({ ...ID, description: 'Id of the exclusion.' })
  exclusion_id: number;

  @Output({ ...VISITOR, description: 'The excluded id.' })
  visitor_id: string;

  @Output({
    ...ID,
    nullable: true,
    description: 'Id of the experiment; null if the exclusion applies to all experiments.',
  })
  experiment_id: number | null;

  @Timestamp({ description: 'When the exclusion was created.' })
  created_at: string;
}

@ApiExtraModels(VisitorIdRecord, VisitorExperiment, VisitorEventRecord, VisitorExclusionRecord)
@ApiSchema({ description: 'All stored data of a visitor, and how it affects the results.' })
export class VisitorRecord {
  @Output({
    type: 'array',
    items: { $ref: getSchemaPath(VisitorIdRecord) },
    description: 'The ids of the visitor.',
  })
  ids: VisitorIdRecord[];

  @Output({
    type: 'array',
    items: { $ref: getSchemaPath(VisitorExperiment) },
    description: 'The experiments that the visitor was exposed to.',
  })
  experiments: VisitorExperiment[];

  @Output({
    type: 'array',
    items: { $ref: getSchemaPath(VisitorEventRecord) },
    description: 'The stored events, oldest first.',
  })
  events: VisitorEventRecord[];

  @Output({
    type: 'array',
    items: { $ref: getSchemaPath(VisitorExclusionRecord) },
    description: 'Exclusions of the visitor from results.',
  })
  exclusions: VisitorExclusionRecord[];

  static readonly example: VisitorRecord = {
    ids: [{ id: SAMPLE_VISITOR, linked_to: null, linked_at: null }],
    experiments: [
      {
        experiment_id: 1001,
        experiment_name: 'Green button',
        status: 'running',
        variation_id: 5002,
        variation_name: 'Green',
        entered_at: '2026-05-01T09:30:00.000000Z',
        device_type: 'mobile',
        phase: 1,
        is_counted: true,
        reason: null,
        is_crossover: false,
      },
    ],
    events: [
      {
        visitor_id: SAMPLE_VISITOR,
        event_id: '018f3f5e-0000-7000-8000-000000000002',
        type: 'exposure',
        occurred_at: '2026-05-01T09:30:00.000000Z',
        arrived_at: null,
        experiment_id: 1001,
        variation_id: 5002,
        goal_id: null,
        goal_name: null,
        value: null,
        device_type: 'mobile',
        outcomes: [{ experiment_id: 1001, is_counted: true, reason: null }],
      },
    ],
    exclusions: [],
  };
}
