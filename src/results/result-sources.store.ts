import type { AnswerSources } from '../platform/access/route-access';
import type { PathItem } from '../platform/access/scope';
import { LATE_MICROS } from '../common/limits';

/** Only goals that are attached to the experiment have results in it. */
export const attachedGoalPath: PathItem = {
  param: 'goal',
  table: 'experiment_goals',
  idColumn: 'goal_id',
  parentColumn: 'experiment_id',
  hasVersion: false,
};

/**
 * The version of a project's record covers its rules for results; an experiment's version also covers its attachments.
 */
export const RESULT_SOURCES: Omit<AnswerSources, 'lasts'> = {
  space: 'results',
  param: 'experiment',
  joins: `JOIN experiments e ON e.id = ? AND e.project_id = p.id AND e.deleted_at IS NULL
          LEFT JOIN experiment_results r ON r.experiment_id = e.id`,
  versions: ['p.version', 'e.version', 'COALESCE(r.version, 0)'],
  turnsAt: `e.archived_at + ${LATE_MICROS}`,
};
