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
import { GoalRecord } from './goal.record';
import { CreateGoal, UpdateGoal } from './goal.dto';
import { GoalsService } from './goals.service';
import { GOAL_TEXTS } from './goals.reference';

const goalPath: PathItem = { param: 'goal', table: 'goals', parentColumn: 'project_id' };

@ApiTags('Goals')
@Controller('projects/:project/goals')
@InProject({ collection: 'goals', items: [goalPath] })
export class GoalsController {
  constructor(private readonly goals: GoalsService) {}

  @Get()
  @Can('read')
  @ListOperation(GoalRecord, GOAL_TEXTS.list)
  list(@InScope() scope: ProjectScope, @Query() query: RawQuery): Promise<Listed<GoalRecord>> {
    return this.goals.items.list(scope, query);
  }

  @Post()
  @Can('definitions:write')
  @CreateOperation(GoalRecord, CreateGoal, GOAL_TEXTS.create)
  create(
    @InScope() scope: ProjectScope,
    @Submitted(CreateGoal, GoalRecord) submission: Submission<CreateGoal>,
  ): Promise<Created<GoalRecord>> {
    return this.goals.create(scope, submission);
  }

  @Post('find-by-name')
  @HttpCode(200)
  @Can('read', { ability: 'read' })
  @FindOperation(GoalRecord, FindByName, GOAL_TEXTS.find)
  find(
    @InScope() scope: ProjectScope,
    @Submitted(FindByName) submission: Submission<FindByName>,
  ): Promise<Shown<GoalRecord>> {
    return this.goals.items.findByName(scope, submission);
  }

  @Get(':goal')
  @Can('read')
  @ShowOperation(GoalRecord, GOAL_TEXTS.show)
  show(@InScope() scope: ProjectScope): Promise<Shown<GoalRecord>> {
    return this.goals.items.show(scope);
  }

  @Put(':goal')
  @Can('definitions:write')
  @UpdateOperation(GoalRecord, UpdateGoal, GOAL_TEXTS.put)
  put(
    @InScope() scope: ProjectScope,
    @Submitted(UpdateGoal, GoalRecord) submission: Submission<UpdateGoal>,
  ): Promise<Shown<GoalRecord>> {
    return this.goals.update(scope, submission);
  }

  @Patch(':goal')
  @Can('definitions:write')
  @UpdateOperation(GoalRecord, UpdateGoal, GOAL_TEXTS.patch)
  patch(
    @InScope() scope: ProjectScope,
    @Submitted(UpdateGoal, GoalRecord) submission: Submission<UpdateGoal>,
  ): Promise<Shown<GoalRecord>> {
    return this.goals.update(scope, submission);
  }

  @Delete(':goal')
  @HttpCode(204)
  @Can('definitions:write')
  @DeleteOperation(GOAL_TEXTS.remove)
  remove(@InScope() scope: ProjectScope): Promise<void> {
    return this.goals.items.remove(scope);
  }
}
