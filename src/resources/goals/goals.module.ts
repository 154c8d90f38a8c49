import { Module } from '@nestjs/common';
import { ResourceController } from '../../projects/resources/resource-controller';
import { resourceModule } from '../../projects/resources/resource-module';
import { GOALS } from './goals.resource';

class GoalsController extends ResourceController(GOALS) {}

@Module(resourceModule(GOALS, GoalsController))
export class GoalsModule {}
