import { Module } from '@nestjs/common';
import { ProjectsModule } from '../../projects/projects.module';
import { ResultsModule } from '../../results/results.module';
import { BaselineStore } from './baseline.store';
import { Baselines } from './baselines';
import { PlanController } from './plan.controller';
import { PlanningService } from './planning.service';

/** Computes sample sizes for planned experiments. Stores nothing. */
@Module({
  imports: [ProjectsModule, ResultsModule],
  controllers: [PlanController],
  providers: [PlanningService, Baselines, BaselineStore],
  exports: [PlanningService],
})
export class PlanningModule {}
