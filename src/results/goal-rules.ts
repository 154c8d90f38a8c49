import { Injectable, OnModuleInit } from '@nestjs/common';
import type { Collection } from '../access/route-access';
import { ItemObserver, ItemObservers } from '../projects/item-observers';
import type { ProjectWrite } from '../projects/project-writer';

/** Fields of goals that decide about results, though experiments do not show them. */
const DECIDING = ['direction', 'value_type'];

/** Results have changed when another rule counts for a goal that is attached. */
@Injectable()
export class GoalRules implements ItemObserver, OnModuleInit {
  constructor(private readonly observers: ItemObservers) {}

  onModuleInit(): void {
    this.observers.register(this);
  }

  async afterChange(
    { tx }: ProjectWrite,
    collection: Collection,
    id: number,
    fields: readonly string[],
  ): Promise<void> {
    if (collection === 'goals' && fields.some((field) => DECIDING.includes(field))) {
      await tx.query(
        `UPDATE experiment_results SET version = version + 1
          WHERE experiment_id IN (SELECT experiment_id FROM experiment_goals WHERE goal_id = ?)`,
        [id],
      );
    }
  }
}
