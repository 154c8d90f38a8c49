import { Injectable } from '@nestjs/common';
import type { Collection } from '../access/route-access';
import type { ProjectWrite } from './project-writer';

/** The variations of an experiment are observed too, although they share its version number. */
export type ObservedCollection = Collection | 'variations';

export interface ObservedItem {
  id: number;
  name: string;
}

/** What depends on projects and their items and is told of changes, in the same transaction. */
export interface ItemObserver {
  /** A project was made; `record` is the collection of projects themselves. */
  afterCreate?(write: ProjectWrite, collection: Collection): Promise<void>;
  /** Adds failures when the item may not go, or lets go of it. */
  beforeDelete?(write: ProjectWrite, collection: ObservedCollection, item: ObservedItem): Promise<void>;
  /** Adds failures when something may not change, or follows suit. @param fields the names of what changed */
  afterChange?(
    write: ProjectWrite,
    collection: ObservedCollection,
    id: number,
    fields: readonly string[],
  ): Promise<void>;
  /** An experiment has moved to another status, or to the trash when `to` is null. */
  afterMove?(write: ProjectWrite, experimentId: number, from: string, to: string | null): Promise<void>;
}

/** Items do not know who uses them; users register here. */
@Injectable()
export class ItemObservers implements Required<ItemObserver> {
  private readonly observers: ItemObserver[] = [];

  register(observer: ItemObserver): void {
    this.observers.push(observer);
  }

  async afterCreate(write: ProjectWrite, collection: Collection): Promise<void> {
    for (const observer of this.observers) {
      await observer.afterCreate?.(write, collection);
    }
  }

  async beforeDelete(write: ProjectWrite, collection: ObservedCollection, item: ObservedItem): Promise<void> {
    for (const observer of this.observers) {
      await observer.beforeDelete?.(write, collection, item);
    }
  }

  async afterChange(
    write: ProjectWrite,
    collection: ObservedCollection,
    id: number,
    fields: readonly string[],
  ): Promise<void> {
    for (const observer of this.observers) {
      await observer.afterChange?.(write, collection, id, fields);
    }
  }

  async afterMove(write: ProjectWrite, experimentId: number, from: string, to: string | null): Promise<void> {
    for (const observer of this.observers) {
      await observer.afterMove?.(write, experimentId, from, to);
    }
  }
}
