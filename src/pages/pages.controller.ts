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
import { PAGE_TEXTS } from './pages.reference';

const pagePath: PathItem = { param: 'page', table: 'pages', parentColumn: 'project_id' };

@ApiTags('Pages')
@Controller('projects/:project/pages')
@InProject({ collection: 'pages', items: [pagePath] })
export class PagesController {
  constructor(private readonly pages: PagesService) {}

  @Get()
  @Can('read')
  @ListOperation(PageRecord, PAGE_TEXTS.list)
  list(@InScope() scope: ProjectScope, @Query() query: RawQuery): Promise<Listed<PageRecord>> {
    return this.pages.items.list(scope, query);
  }

  @Post()
  @Can('definitions:write')
  @CreateOperation(PageRecord, CreatePage, PAGE_TEXTS.create)
  create(
    @InScope() scope: ProjectScope,
    @Submitted(CreatePage, PageRecord) submission: Submission<CreatePage>,
  ): Promise<Created<PageRecord>> {
    return this.pages.create(scope, submission);
  }

  @Post('find-by-name')
  @HttpCode(200)
  @Can('read', { ability: 'read' })
  @FindOperation(PageRecord, FindByName, PAGE_TEXTS.find)
  find(
    @InScope() scope: ProjectScope,
    @Submitted(FindByName) submission: Submission<FindByName>,
  ): Promise<Shown<PageRecord>> {
    return this.pages.items.findByName(scope, submission);
  }

  @Get(':page')
  @Can('read')
  @ShowOperation(PageRecord, PAGE_TEXTS.show)
  show(@InScope() scope: ProjectScope): Promise<Shown<PageRecord>> {
    return this.pages.items.show(scope);
  }

  @Put(':page')
  @Can('definitions:write')
  @UpdateOperation(PageRecord, UpdatePage, PAGE_TEXTS.put)
  put(
    @InScope() scope: ProjectScope,
    @Submitted(UpdatePage, PageRecord) submission: Submission<UpdatePage>,
  ): Promise<Shown<PageRecord>> {
    return this.pages.update(scope, submission);
  }

  @Patch(':page')
  @Can('definitions:write')
  @UpdateOperation(PageRecord, UpdatePage, PAGE_TEXTS.patch)
  patch(
    @InScope() scope: ProjectScope,
    @Submitted(UpdatePage, PageRecord) submission: Submission<UpdatePage>,
  ): Promise<Shown<PageRecord>> {
    return this.pages.update(scope, submission);
  }

  @Delete(':page')
  @HttpCode(204)
  @Can('definitions:write')
  @DeleteOperation(PAGE_TEXTS.remove)
  remove(@InScope() scope: ProjectScope): Promise<void> {
    return this.pages.items.remove(scope);
  }
}
