import { Controller, Delete, Get, HttpCode, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Can, InProject } from '../access/route-access';
import { InScope, PathItem, ProjectScope } from '../access/scope';
import type { Created, Listed, Shown } from '../common/freshness/answers';
import type { RawQuery } from '../common/lists/list-query';
import {
  CreateOperation,
  DeleteOperation,
  FindOperation,
  ListOperation,
  ShowOperation,
  UpdateOperation,
} from '../common/openapi/operations';
import { Submission, Submitted } from '../common/validation/submission';
import { FindByName } from '../projects/named-item';
import { PageRecord } from './page.record';
import { CreatePage, UpdatePage } from './page.dto';
import { PagesService } from './pages.service';

const pagePath: PathItem = { param: 'page', table: 'pages', parentColumn: 'project_id' };

@ApiTags('Pages')
@Controller('projects/:project/pages')
@InProject({ collection: 'pages', items: [pagePath] })
export class PagesController {
  constructor(private readonly pages: PagesService) {}

  @Get()
  @Can('read')
  @ListOperation(PageRecord, { id: 'listPages', summary: 'List the pages of a project' })
  list(@InScope() scope: ProjectScope, @Query() query: RawQuery): Promise<Listed<PageRecord>> {
    return this.pages.items.list(scope, query);
  }

  @Post()
  @Can('definitions:write')
  @CreateOperation(PageRecord, CreatePage, { id: 'createPage', summary: 'Create a page' })
  create(
    @InScope() scope: ProjectScope,
    @Submitted(CreatePage, PageRecord) submission: Submission<CreatePage>,
  ): Promise<Created<PageRecord>> {
    return this.pages.create(scope, submission);
  }

  @Post('find-by-name')
  @HttpCode(200)
  @Can('read', { ability: 'read' })
  @FindOperation(PageRecord, FindByName, { id: 'findPageByName', summary: 'Find a page by its exact name' })
  find(
    @InScope() scope: ProjectScope,
    @Submitted(FindByName) submission: Submission<FindByName>,
  ): Promise<Shown<PageRecord>> {
    return this.pages.items.findByName(scope, submission);
  }

  @Get(':page')
  @Can('read')
  @ShowOperation(PageRecord, { id: 'showPage', summary: 'Show a page' })
  show(@InScope() scope: ProjectScope): Promise<Shown<PageRecord>> {
    return this.pages.items.show(scope);
  }

  @Put(':page')
  @Can('definitions:write')
  @UpdateOperation(PageRecord, UpdatePage, { id: 'putPage', summary: 'Update a page' })
  put(
    @InScope() scope: ProjectScope,
    @Submitted(UpdatePage, PageRecord) submission: Submission<UpdatePage>,
  ): Promise<Shown<PageRecord>> {
    return this.pages.update(scope, submission);
  }

  @Patch(':page')
  @Can('definitions:write')
  @UpdateOperation(PageRecord, UpdatePage, { id: 'patchPage', summary: 'Update a page; the same as PUT' })
  patch(
    @InScope() scope: ProjectScope,
    @Submitted(UpdatePage, PageRecord) submission: Submission<UpdatePage>,
  ): Promise<Shown<PageRecord>> {
    return this.pages.update(scope, submission);
  }

  @Delete(':page')
  @HttpCode(204)
  @Can('definitions:write')
  @DeleteOperation({ id: 'deletePage', summary: 'Delete a page' })
  remove(@InScope() scope: ProjectScope): Promise<void> {
    return this.pages.items.remove(scope);
  }
}
