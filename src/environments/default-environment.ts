import { Injectable, OnModuleInit } from '@nestjs/common';
import type { Collection } from '../access/route-access';
import { ItemObserver, ItemObservers } from '../projects/item-observers';
import type { ProjectWrite } from '../projects/project-writer';
import { EnvironmentsService } from './environments.service';

/** Gives each new project the environment that every project has. */
@Injectable()
export class DefaultEnvironment implements ItemObserver, OnModuleInit {
  constructor(
    private readonly observers: ItemObservers,
    private readonly environments: EnvironmentsService,
  ) {}

  onModuleInit(): void {
    this.observers.register(this);
  }

  async afterCreate(write: ProjectWrite, collection: Collection): Promise<void> {
    if (collection === 'record') {
      await this.environments.insert(write, { name: 'Production', code: 'return true;', is_default: true });
    }
  }
}
