import { Module } from '@nestjs/common';
import { ResourceController } from '../../projects/resources/resource-controller';
import { resourceModule } from '../../projects/resources/resource-module';
import { EXCLUSION_GROUPS } from './exclusion-groups.resource';

class ExclusionGroupsController extends ResourceController(EXCLUSION_GROUPS) {}

@Module(resourceModule(EXCLUSION_GROUPS, ExclusionGroupsController))
export class ExclusionGroupsModule {}
