import { Body, Controller, Get, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Can, InProject } from '../platform/access/route-access';
import { InScope, PathItem, ProjectScope } from '../platform/access/scope';
import type { Shown } from '../common/http/answers';
import { TakesLargeBody } from '../common/http/json-body';
import { readSwitch } from '../common/http/query-switch';
import type { RawQuery } from '../common/lists/list-query';
import { ShowOperation } from '../common/openapi/operations';
import { Failures } from '../common/validation/failures';
import { DEFINITION_SOURCES } from '../projects/project-versions.store';
import type { Definition } from './definition';
import { parseDefinition } from './definition-document';
import { DefinitionChanges, DefinitionRecord } from './definition.record';
import { ApplyOperation, SHOW_TEXT } from './definition.reference';
import { DefinitionService } from './definition.service';

/** Every change in a project changes its definition, so the definition has the version of the project. */
const definitionPath: PathItem = {
  param: 'project',
  table: 'project_versions',
  idColumn: 'project_id',
  parentColumn: 'project_id',
};

@ApiTags('Projects')
@Controller('projects/:project')
@InProject({ collection: 'record', items: [definitionPath], sources: DEFINITION_SOURCES })
export class DefinitionController {
  constructor(private readonly definitions: DefinitionService) {}

  @Get('definition')
  @Can('read')
  @ShowOperation(DefinitionRecord, SHOW_TEXT)
  show(@InScope() scope: ProjectScope): Promise<Shown<Definition>> {
    return this.definitions.show(scope);
  }

  @Put('definition')
  @Can('definitions:write')
  @TakesLargeBody()
  @ApplyOperation()
  apply(
    @InScope() scope: ProjectScope,
    @Query() query: RawQuery,
    @Body() body: unknown,
  ): Promise<Shown<DefinitionChanges>> {
    const failures = new Failures();
    const options = {
      prune: readSwitch(query, 'prune', failures),
      status: readSwitch(query, 'status', failures),
    };
    return this.definitions.apply(scope, parseDefinition(body, failures), options);
  }
}
