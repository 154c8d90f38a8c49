import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/projects.module';
import { GoalsController } from './goals.controller';
import { GoalsService } from './goals.service';
import { PageUsers } from './page-users';

@Module({
  imports: [ProjectsModule],
  controllers: [GoalsController],
  providers: [GoalsService, PageUsers],
  exports: [GoalsService],
})
export class GoalsModule {}
