import { Injectable, OnModuleInit } from '@nestjs/common';
import { ItemObserver, ItemObservers, ObservedCollection, ObservedItem } from '../projects/item-observers';
import type { ProjectWrite } from '../projects/project-writer';

/** Keeps what collected events rely on. */
@Injectable()
export class CollectedData implements ItemObserver, OnModuleInit {
  constructor(private readonly observers: ItemObservers) {}

  onModuleInit(): void {
    this.observers.register(this);
  }

  async beforeDelete(
    { tx, failures }: ProjectWrite,
    collection: ObservedCollection,
    { id }: ObservedItem,
  ): Promise<void> {
    if (collection !== 'variations') {
      return;
    }
    const participants: unknown[] = await tx.query(
      `SELECT r.experiment_id FROM experiment_results r JOIN variations v ON v.experiment_id = r.experiment_id
        WHERE v.id = ?`,
      [id],
    );
    if (participants.length > 0) {
      failures.add('variations', 'No variation can be deleted once the experiment has participants.');
    }
  }

  async afterChange(
    { tx, failures }: ProjectWrite,
    collection: ObservedCollection,
    id: number,
    fields: readonly string[],
  ): Promise<void> {
    const fixed = ['type', 'value_type'].filter((field) => fields.includes(field));
    if (collection !== 'goals' || fixed.length === 0) {
      return;
    }
    const conversions: unknown[] = await tx.query('SELECT goal_id FROM collected_goals WHERE goal_id = ?', [
      id,
    ]);
    if (conversions.length > 0) {
      for (const field of fixed) {
        failures.add(field, `The ${field} cannot change once the goal has conversions.`);
      }
    }
  }
}
