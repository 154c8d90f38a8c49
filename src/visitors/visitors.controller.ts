import { Controller, Delete, Get, HttpCode, Module, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { DeleteOperation, LiveOperation } from '../common/openapi/operations';
import { Can, InProject } from '../platform/access/route-access';
import { InScope, ProjectScope } from '../platform/access/scope';
import type { IdempotentRequest } from '../platform/idempotency/request-options';
import { REASONS } from './visitor-outcomes';
import { VisitorRecord } from './visitor.record';
import { VisitorStore } from './visitor.store';
import { VisitorsService } from './visitors.service';

const TABLE = Object.entries(REASONS)
  .map(([reason, meaning]) => `| \`${reason}\` | ${meaning} |`)
  .join('\n');

/** Reference texts for the visitor operations. */
const VISITOR_TEXTS = {
  show: {
    id: 'showStoredVisitor',
    summary: 'Show the data of a visitor',
    description: `Returns all stored data of a visitor, found by any of the visitor's ids: the linked ids, the events and the exclusions. It also explains the effect on results: the experiments in which the visitor takes part, the variation, and why an event does not count.

| reason | meaning |
|---|---|
${TABLE}

Returns 404 if there is no stored data. URL-encode the id: \`a/b\` becomes \`a%2Fb\`. The response has no
ETag.`,
  },
  remove: {
    id: 'deleteStoredVisitor',
    summary: 'Delete a visitor',
    description: `Deletes all stored data of a visitor in one step: the events of all the visitor's linked ids, the links, exclusions and recent messages, and the visitor's contribution to the results, including final results (\`revised_at\` of \`results/info\`). Afterwards, the results are the same as if the visitor had never visited the site. If an experiment's first or last event came from this visitor, the
times \`first_event_at\` and \`last_event_at\` are updated in the background; until then, \`recomputing\` is true.

For 30 days, all messages with one of the ids are rejected as \`visitor_deleted\`, including late batches, trusted events and imports. To do this, the server keeps a hash of each id. The audit log records who deleted a visitor and when, without the ids.

If the server stores events in ClickHouse, the deleted events are no longer read, and are removed there a few minutes later.

Experiments whose events were removed (\`event_retention_days\`) keep their sums, which do not identify visitors.

URL-encode the id: \`a/b\` becomes \`a%2Fb\`. Returns 404 if there is no stored data. \`If-Match\` refers to the ETag of the project.`,
  },
};

@ApiTags('Visitors')
@Controller('projects/:project/visitors/:visitor')
@InProject({ collection: 'record', items: [], texts: ['visitor'], isLive: true })
class VisitorsController {
  constructor(private readonly visitors: VisitorsService) {}

  @Get()
  @Can('read')
  @LiveOperation(VisitorRecord, VISITOR_TEXTS.show)
  show(@InScope() { projectId }: ProjectScope, @Req() { params }: IdempotentRequest): Promise<VisitorRecord> {
    return this.visitors.show(projectId, params.visitor ?? '');
  }

  @Delete()
  @HttpCode(204)
  @Can('visitors:delete')
  @DeleteOperation(VISITOR_TEXTS.remove)
  async remove(@InScope() scope: ProjectScope, @Req() { params, dryRun }: IdempotentRequest): Promise<void> {
    await this.visitors.delete(scope, params.visitor ?? '', dryRun === 'yes');
  }
}

/** The stored data of one visitor. */
@Module({ controllers: [VisitorsController], providers: [VisitorsService, VisitorStore] })
export class VisitorsModule {}
