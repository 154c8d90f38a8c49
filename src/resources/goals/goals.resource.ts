import { defineResource } from '../../projects/resources/resource';
import { CreateGoal, GoalRecord, toGoalRecord, UpdateGoal } from './goal.record';
import { Goal } from './goal.entity';
import { checkConversionsKept, checkGoalShape } from './goal-rules';
import {
  changeCountingInProject,
  countUpResultsOf,
  noteRevisionsOf,
  restoreConversionsOf,
} from './goal.store';

/** The fields whose changes also affect final results, because they apply when results are read. */
const READ = ['counting', 'conversion_window_days'];
/** The field whose changes affect final results only if the events are recounted. */
const RECOUNTED = 'value_cap';

/** The fields that affect results but are not part of experiment records. */
const DECIDING = ['direction', 'value_type', ...READ];

const isAmong =
  (names: readonly string[]) =>
  (field: string): boolean =>
    names.includes(field);

export const GOALS = defineResource({
  type: 'goal',
  collection: 'goals',
  entity: Goal,
  record: GoalRecord,
  toRecord: toGoalRecord,
  references: { page_id: { to: 'pages', users: 'Pageview goals' } },
  texts: {
    chapter: 'Define what is measured.',
    purpose: `A goal is an action of visitors: an event with the goal's \`api_name\`, a page view, or a click. Attach goals to
experiments through \`goals\`; the first one is the primary goal.`,
  },
  writes: {
    create: CreateGoal,
    update: UpdateGoal,
    newColumns(fields, { failures }) {
      const goal = {
        description: fields.description ?? null,
        type: fields.type ?? 'custom',
        selector: fields.selector ?? null,
        page_id: fields.page_id ?? null,
        value_type: fields.value_type ?? 'none',
        direction: fields.direction ?? 'increase',
        counting: fields.counting ?? 'unique',
        trusted_only: fields.trusted_only ?? false,
        conversion_window_days: fields.conversion_window_days ?? null,
        value_cap: fields.value_cap ?? null,
      };
      checkGoalShape(goal, failures);
      return goal;
    },
    async changedColumns(fields, current, context) {
      checkGoalShape({ ...current, ...fields }, context.failures);
      await checkConversionsKept(current, fields, context);
      return fields;
    },
    async afterChange({ tx, projectId, now }, id, fields) {
      if (fields.includes(RECOUNTED)) {
        await changeCountingInProject(tx, projectId);
      }
      if (fields.some(isAmong(DECIDING))) {
        await countUpResultsOf(tx, id);
      }
      const isRead = fields.some(isAmong(READ));
      if (isRead || fields.includes(RECOUNTED)) {
        await noteRevisionsOf(tx, id, now, !isRead);
      }
    },
    async afterRestore({ tx, projectId }, { id, value_cap }) {
      await restoreConversionsOf(tx, projectId, id);
      if (value_cap !== null) {
        await changeCountingInProject(tx, projectId);
      }
    },
    texts: {
      create: `Creates a goal that you can attach to experiments. A \`pageview\` goal needs \`page_id\`, a \`click\` goal needs
\`selector\`, and only \`custom\` goals can have values. All events count, even those received before the goal is
attached. Set \`trusted_only\` for revenue: then only \`POST /api/projects/{project}/events\` accepts conversions.`,
      update: `\`type\` and \`value_type\` cannot change once the goal has conversions. Results use a changed
\`direction\`, \`counting\` or \`conversion_window_days\` immediately, for all conversions since the start. A changed
\`value_cap\` recomputes results in the background; meanwhile, \`results/info\` has \`recomputing: true\`. A changed
window, cap or \`counting\` also revises final results: \`revised_at\` in \`results/info\` is the time of the revision. Changing
one of these four fields requires the publisher role while the goal is a guardrail that can pause a running experiment.`,
      remove: `Detaches the goal from experiments and keeps its data. Rejected with 422 while running or previewed experiments
use it; the response lists them.`,
    },
  },
});
