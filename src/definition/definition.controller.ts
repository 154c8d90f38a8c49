import { applyDecorators, Body, Controller, Get, Put, Query } from '@nestjs/common';
import { ApiQuery, ApiTags } from '@nestjs/swagger';
import { ifMatch, operation, withBody, DRY_RUN } from '../common/openapi/operation';
import { answer, WRITE_FAILURES } from '../common/openapi/responses';
import { Can, InProject } from '../platform/access/route-access';
import { InScope, ProjectScope } from '../platform/access/scope';
import type { Shown } from '../common/http/answers';
import { TakesLargeBody } from '../common/http/json-body';
import { readSwitch } from '../common/http/query-switch';
import type { RawQuery } from '../common/lists/list-query';
import { ShowOperation } from '../common/openapi/operations';
import { Failures } from '../common/validation/failures';
import { DEFINITION_SOURCES } from '../projects/project-versions.store';
import type { Definition } from './definition';
import { ApplyDefinition, DefinitionChanges, DefinitionRecord } from './definition.record';
import { DefinitionService } from './definition.service';

const SHOW_TEXT = {
  id: 'showDefinition',
  summary: 'Export the definition of a project',
  description: `Returns all definitions of the project, keyed by \`api_name\` and without ids: settings, environments, audiences,
pages, goals, exclusion groups, and experiments with variations, attachments, code, traffic and plan. The order is stable, so that you can
keep the document in git. The document does not contain the project name, secrets, share or preview links, webhooks, schedules, decisions, results or history.`,
};

const APPLY = `Applies the document to the project in one transaction. The document has the format of
the export; omitted parts, lists and fields stay unchanged. Items are identified by \`api_name\`. The rules and permissions of the individual operations apply: a change to the project or its settings needs \`project:settings\`, a change to an environment needs \`environments:manage\`, and a status change needs the permission of the status operation.

Items that are missing from a list of the document are deleted only with \`prune=1\`, and statuses are changed only with
\`status=1\`. Otherwise, these changes are not made, and \`changes\` lists them with \`skipped\`. New experiments are drafts. Definitions go live when the project is
published; a status change to or from \`running\` publishes that experiment, as the status operation does.

With \`dry_run=1\`, the response is the plan, and nothing is stored. With the ETag of the export in \`If-Match\`, the document is applied
only if the definition has not changed since. The body may have up to 16 MiB.`;

const flag = (name: string, description: string): MethodDecorator & ClassDecorator =>
  ApiQuery({
    name,
    required: false,
    description,
    schema: { type: 'string', enum: ['1', 'true', '0', 'false'], default: '0' },
  });

/** Reference for the PUT of a definition. */
const ApplyOperation = (): MethodDecorator =>
  operation(
    { id: 'applyDefinition', summary: 'Apply a definition to a project', description: APPLY },
    [],
    [
      ...withBody(ApplyDefinition, DefinitionRecord.example),
      answer(
        200,
        'The changes that were made, or would be made.',
        [DefinitionChanges],
        ['ETag', 'X-Dry-Run'],
      ),
      applyDecorators(
        flag('prune', "`1` or `true`: delete items that are missing from the document's lists."),
        flag('status', '`1` or `true`: change experiments to the statuses in the document.'),
      ),
      ifMatch('the definition'),
      DRY_RUN,
      ...WRITE_FAILURES,
    ],
  );

@ApiTags('Projects')
@Controller('projects/:project')
@InProject({ collection: 'record', items: [], sources: DEFINITION_SOURCES, isTaggedByContent: true })
export class DefinitionController {
  constructor(private readonly definitions: DefinitionService) {}

  @Get('definition')
  @Can('read')
  @ShowOperation(DefinitionRecord, SHOW_TEXT)
  show(@InScope() scope: ProjectScope): Promise<Shown<Definition, string>> {
    return this.definitions.show(scope);
  }

  @Put('definition')
  @Can('definitions:write')
  @TakesLargeBody()
  @ApplyOperation()
  async apply(
    @InScope() scope: ProjectScope,
    @Query() query: RawQuery,
    @Body() body: unknown,
  ): Promise<Shown<DefinitionChanges, string>> {
    await this.definitions.requireMatch(scope);
    const failures = new Failures();
    const options = {
      prune: readSwitch(query, 'prune', failures),
      status: readSwitch(query, 'status', failures),
    };
    return this.definitions.apply(scope, body, options, failures);
  }
}
