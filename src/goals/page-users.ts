import { Injectable, OnModuleInit } from '@nestjs/common';
import { ItemObserver, ItemObservers, ObservedCollection, ObservedItem } from '../projects/item-observers';
import type { ProjectWrite } from '../projects/project-writer';

/** Keeps the pages that pageview goals need. */
@Injectable()
export class PageUsers implements ItemObserver, OnModuleInit {
  constructor(private readonly observers: ItemObservers) {}

  onModuleInit(): void {
    this.observers.register(this);
  }

  async beforeDelete(
    { tx, failures }: ProjectWrite,
    collection: ObservedCollection,
    { id }: ObservedItem,
  ): Promise<void> {
    if (collection !== 'pages') {
      return;
    }
    const goals: { id: number; name: string }[] = await tx.query(
      'SELECT id, name FROM goals WHERE page_id = ? ORDER BY id',
      [id],
    );
    if (goals.length > 0) {
      const names = goals.map((goal) => `${goal.name} (${goal.id})`).join(', ');
      failures.add('goals', `The page is needed by pageview goals: ${names}.`);
    }
  }
}
