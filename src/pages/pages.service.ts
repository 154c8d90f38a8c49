import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../access/scope';
import type { Created, Shown } from '../common/freshness/answers';
import type { Submission } from '../common/validation/submission';
import { Database } from '../database/database';
import { checkApiNameChange, newApiName, Siblings } from '../projects/api-names';
import { ItemObservers } from '../projects/item-observers';
import { ProjectItems } from '../projects/project-items';
import { ProjectWriter } from '../projects/project-writer';
import type { CreatePage, UpdatePage } from './page.dto';
import { Page } from './page.entity';
import { PageRecord, toPageRecord } from './page.record';
import { normalizePageConditions } from './page-conditions';

@Injectable()
export class PagesService {
  readonly items: ProjectItems<Page, PageRecord>;

  constructor(database: Database, writer: ProjectWriter, observers: ItemObservers) {
    this.items = new ProjectItems(database, writer, observers, {
      entity: Page,
      collection: 'pages',
      type: 'page',
      toRecord: toPageRecord,
    });
  }

  create(scope: ProjectScope, submission: Submission<CreatePage>): Promise<Created<PageRecord>> {
    return this.items.create(scope, submission, async (manager, failures, fields) => ({
      api_name: await newApiName(manager, siblings(scope), fields, failures),
      description: fields.description ?? null,
      conditions: normalizePageConditions(fields.conditions ?? []),
      activation: fields.activation ?? 'immediate',
    }));
  }

  update(scope: ProjectScope, submission: Submission<UpdatePage>): Promise<Shown<PageRecord>> {
    return this.items.update(scope, submission, async ({ tx, failures }, fields, current) => {
      await checkApiNameChange(tx, siblings(scope), current.api_name, fields.api_name, failures);
      const { conditions, ...others } = fields;
      return conditions === undefined
        ? others
        : { ...others, conditions: normalizePageConditions(conditions) };
    });
  }
}

function siblings({ projectId }: ProjectScope): Siblings {
  return { table: 'pages', where: 'project_id = ?', parameters: [projectId], fallback: 'page' };
}
