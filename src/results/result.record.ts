import { ApiExtraModels, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import { SHARE_TOKEN, SHARE_URL } from '../experiments/share-link.record';
import { Output } from '../common/validation/fields';
import { ApiName, Id, Name, Timestamp } from '../common/validation/record-fields';
import { GOAL_TYPES } from '../resources/goals/goal.entity';
import type { SampleRatio, VariationStatistics } from '../statistics/result';
import { type ExperimentResults, GOAL_ROLES, type GoalRole } from './experiment-results';
import { exampleStatistics } from './result.example';
import { VariationFigures } from './statistics.record';

/** The results of one attached goal. */
@ApiExtraModels(VariationFigures)
@ApiSchema({ description: 'The results of one attached goal.' })
export class ResultEntry {
  @Id('Id of the goal.')
  id: number;

  @Output({ type: 'string', enum: GOAL_TYPES, description: 'What counts as a conversion of the goal.' })
  type: string;

  @Name()
  name: string;

  @ApiName()
  api_name: string;

  @Output({
    type: 'string',
    enum: GOAL_ROLES,
    description: 'The first goal is the primary one. Guardrails come after all other goals.',
  })
  role: GoalRole;

  @Output(
    {
      type: 'array',
      items: { type: 'integer' },
      description: 'For guardrails only: the ids of the variations that trip it, whatever their verdict.',
    },
    { required: false },
  )
  tripped?: readonly number[];

  @Output({
    type: 'object',
    additionalProperties: { $ref: getSchemaPath(VariationFigures) },
    description: 'One entry per variation, keyed by variation id.',
  })
  variationStatistics: Record<string, VariationStatistics>;

  static readonly example: ResultEntry = {
    id: 3,
    type: 'custom',
    name: 'Order placed',
    api_name: 'order-placed',
    role: 'primary',
    /** This is a getter because the value is needed only to build the reference, which not every process does. */
    get variationStatistics() {
      return exampleStatistics();
    },
  };
}

/** The entries of the results response, in the order in which goals are attached. */
export function toResultEntries({ goals }: ExperimentResults): ResultEntry[] {
  return goals.map(({ id, role, type, name, api_name, tripped, variations }) => ({
    id,
    type,
    name,
    api_name,
    role,
    ...(role === 'guardrail' ? { tripped } : {}),
    variationStatistics: Object.fromEntries(variations.map((figures) => [String(figures.id), figures])),
  }));
}

@ApiSchema({ description: 'Chi-square test for sample ratio mismatch (SRM).' })
export class SampleRatioFigures implements Omit<SampleRatio, 'isDetectable' | 'untested'> {
  @Output({
    type: 'number',
    minimum: 0,
    description: 'Chi-square statistic; 0 if participants match the shares exactly.',
  })
  chiSquare: number;

  @Output({
    type: 'integer',
    minimum: 0,
    description: 'Number of variations with a share, minus 1, summed over the phases with participants.',
  })
  degreesOfFreedom: number;

  @Output({
    type: 'number',
    minimum: 0,
    maximum: 1,
    description:
      'p-value: the probability of a deviation at least this large if visitors are assigned according to the shares.',
  })
  pValue: number;

  @Output({
    type: 'boolean',
    description: 'True if visitors are lost or misassigned. Do not trust the results in this case.',
  })
  isMismatch: boolean;
}

@ApiSchema({ description: 'A period in which the same variations were live with the same shares.' })
export class PhaseFigures {
  @Output({ type: 'integer', minimum: 1, description: 'Number of the phase, starting at 1.' })
  number: number;

  @Timestamp({ description: 'The first start, or the publication that changed the shares.' })
  began_at: string;

  @Timestamp({
    nullable: true,
    description: 'The start of the next phase, or the end of the experiment.',
  })
  ended_at: string | null;

  @Output({
    type: 'object',
    additionalProperties: { type: 'number', minimum: 0, maximum: 100 },
    description: 'The published shares in percent, by variation id. Variations without a share are omitted.',
  })
  shares: Record<string, number>;

  @Output({
    type: 'integer',
    minimum: 0,
    description: 'Visitors whose first exposure belongs to this phase.',
  })
  participants: number;
}

@ApiExtraModels(SampleRatioFigures, PhaseFigures)
@ApiSchema({ description: 'Share link and data quality of the results.' })
export class ResultsInfo {
  @Output({ type: 'string', nullable: true, description: SHARE_TOKEN })
  share_token: string | null;

  @Output({
    type: 'string',
    format: 'uri',
    nullable: true,
    description: SHARE_URL,
  })
  share_url: string | null;

  @Output({ type: 'boolean', description: 'True if the experiment has participants.' })
  has_results: boolean;

  @Output({ type: 'integer', minimum: 0, description: 'Number of participants in all variations.' })
  participants: number;

  @Timestamp({ nullable: true, description: 'The first exposure of a participant.' })
  first_event_at: string | null;

  @Timestamp({ nullable: true, description: 'The last exposure or conversion of a participant.' })
  last_event_at: string | null;

  @Output({
    allOf: [{ $ref: getSchemaPath(SampleRatioFigures) }],
    description: 'Test of whether the participants of each phase match its published shares.',
  })
  sample_ratio_mismatch: SampleRatioFigures;

  @Output({
    type: 'boolean',
    description:
      'Whether there are enough participants to detect a sample ratio mismatch. If not, `isMismatch` is false.',
  })
  can_detect_mismatch: boolean;

  @Output({
    type: 'integer',
    minimum: 0,
    description:
      'Participants who were later shown another variation. They count towards the variation they saw first. A high number means that assignments are not persisted.',
  })
  crossovers: number;

  @Timestamp({
    nullable: true,
    description:
      'All events that were acknowledged before this time are counted, along with some later ones. Null if all are counted.',
  })
  events_counted_before: string | null;

  @Timestamp({
    nullable: true,
    description: 'The end of the last run; null if the experiment is running or never ran.',
  })
  ended_at: string | null;

  @Timestamp({
    nullable: true,
    description:
      'Events that arrive before this time still count if they happened while the experiment was running. It is 72 hours after archiving. Null unless it is archived.',
  })
  counted_until: string | null;

  @Output({
    type: 'boolean',
    description:
      'True if the experiment was archived at least 72 hours ago. No further events count unless the experiment is unarchived, which is possible until its events are removed.',
  })
  is_final: boolean;

  @Timestamp({
    nullable: true,
    description: 'When the final result was last changed manually, for example by excluding visitors.',
  })
  revised_at: string | null;

  @Timestamp({
    nullable: true,
    description:
      'Events before this time were removed (`event_retention_days` of the project settings). The results remain, but can no longer be recomputed. Null if no events were removed.',
  })
  events_removed_before: string | null;

  @Output({
    type: 'boolean',
    description:
      'True while the results are being recomputed because the counted events changed. The response has the previous results.',
  })
  recomputing: boolean;

  @Output({
    type: 'array',
    items: { $ref: getSchemaPath(PhaseFigures) },
    description:
      'The phases. A phase begins with the first start and with each publication or status change that changes the published shares.',
  })
  phases: PhaseFigures[];

  static readonly example: ResultsInfo = {
    share_token: 'pVQ3n0cWm1wzXJkYx5uTt8Zb6qRd2sGh4fLjKaEoCvI',
    share_url: 'https://ab.example.com/share/pVQ3n0cWm1wzXJkYx5uTt8Zb6qRd2sGh4fLjKaEoCvI',
    has_results: true,
    participants: 10_000,
    first_event_at: '2026-05-01T09:30:00.123000Z',
    last_event_at: '2026-05-13T18:04:11.500000Z',
    sample_ratio_mismatch: {
      chiSquare: 0.16,
      degreesOfFreedom: 1,
      pValue: 0.689156516779352,
      isMismatch: false,
    },
    can_detect_mismatch: true,
    crossovers: 3,
    events_counted_before: null,
    ended_at: null,
    counted_until: null,
    is_final: false,
    revised_at: null,
    events_removed_before: null,
    recomputing: false,
    phases: [
      {
        number: 1,
        began_at: '2026-05-01T09:00:00.000000Z',
        ended_at: null,
        shares: { 23248304: 50, 23248305: 50 },
        participants: 10_000,
      },
    ],
  };
}
