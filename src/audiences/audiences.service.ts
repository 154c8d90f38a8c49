import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../access/scope';
import type { Created, Shown } from '../common/freshness/answers';
import type { Submission } from '../common/validation/submission';
import { Database } from '../database/database';
import { ItemObservers } from '../projects/item-observers';
import { ProjectItems } from '../projects/project-items';
import { ProjectWriter } from '../projects/project-writer';
import type { CreateAudience, UpdateAudience } from './audience.dto';
import { Audience } from './audience.entity';
import { AudienceRecord, toAudienceRecord } from './audience.record';
import { normalizeConditionTree } from './condition-tree';

@Injectable()
export class AudiencesService {
  readonly items: ProjectItems<Audience, AudienceRecord>;

  constructor(database: Database, writer: ProjectWriter, observers: ItemObservers) {
    this.items = new ProjectItems(database, writer, observers, {
      entity: Audience,
      collection: 'audiences',
      type: 'audience',
      toRecord: toAudienceRecord,
    });
  }

  create(scope: ProjectScope, submission: Submission<CreateAudience>): Promise<Created<AudienceRecord>> {
    return this.items.create(
      scope,
      submission,
      (_manager, _failures, { description = null, conditions = null }) =>
        Promise.resolve({ description, conditions: normalizeConditionTree(conditions) }),
    );
  }

  update(scope: ProjectScope, submission: Submission<UpdateAudience>): Promise<Shown<AudienceRecord>> {
    return this.items.update(scope, submission, (_write, { conditions, ...fields }) =>
      Promise.resolve(
        conditions === undefined ? fields : { ...fields, conditions: normalizeConditionTree(conditions) },
      ),
    );
  }
}
