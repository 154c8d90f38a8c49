import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ProjectScope } from '../access/scope';
import type { Created, Shown } from '../common/freshness/answers';
import type { Failures } from '../common/validation/failures';
import type { Submission } from '../common/validation/submission';
import { Database } from '../database/database';
import { checkApiNameChange, newApiName, Siblings } from '../projects/api-names';
import { ItemObservers } from '../projects/item-observers';
import { ProjectItems } from '../projects/project-items';
import { ProjectWriter } from '../projects/project-writer';
import { checkGoalShape } from './goal-rules';
import type { CreateGoal, UpdateGoal } from './goal.dto';
import { Goal } from './goal.entity';
import { GoalRecord, toGoalRecord } from './goal.record';

@Injectable()
export class GoalsService {
  readonly items: ProjectItems<Goal, GoalRecord>;

  constructor(database: Database, writer: ProjectWriter, observers: ItemObservers) {
    this.items = new ProjectItems(database, writer, observers, {
      entity: Goal,
      collection: 'goals',
      type: 'goal',
      toRecord: toGoalRecord,
    });
  }

  create(scope: ProjectScope, submission: Submission<CreateGoal>): Promise<Created<GoalRecord>> {
    return this.items.create(scope, submission, async (manager, failures, fields) => {
      const goal = {
        description: fields.description ?? null,
        type: fields.type ?? 'custom',
        selector: fields.selector ?? null,
        page_id: fields.page_id ?? null,
        value_type: fields.value_type ?? 'none',
        direction: fields.direction ?? 'increase',
      };
      checkGoalShape(goal, failures);
      await checkPage(manager, scope, goal.page_id, failures);
      return { api_name: await newApiName(manager, siblings(scope), fields, failures), ...goal };
    });
  }

  update(scope: ProjectScope, submission: Submission<UpdateGoal>): Promise<Shown<GoalRecord>> {
    return this.items.update(scope, submission, async ({ tx, failures }, fields, current) => {
      const goal = { ...current, ...fields };
      checkGoalShape(goal, failures);
      if (goal.page_id !== current.page_id) {
        await checkPage(tx, scope, goal.page_id, failures);
      }
      await checkApiNameChange(tx, siblings(scope), current.api_name, fields.api_name, failures);
      return fields;
    });
  }
}

function siblings({ projectId }: ProjectScope): Siblings {
  return { table: 'goals', where: 'project_id = ?', parameters: [projectId], fallback: 'goal' };
}

async function checkPage(
  manager: EntityManager,
  { projectId }: ProjectScope,
  pageId: number | null,
  failures: Failures,
): Promise<void> {
  if (pageId === null || failures.has('page_id')) {
    return;
  }
  const sql = 'SELECT id FROM pages WHERE id = ? AND project_id = ?';
  const pages: unknown[] = await manager.query(sql, [pageId, projectId]);
  if (pages.length === 0) {
    failures.add('page_id', `The project has no page ${pageId}.`);
  }
}
