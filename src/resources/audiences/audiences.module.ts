import { Module } from '@nestjs/common';
import { ResourceController } from '../../projects/resources/resource-controller';
import { resourceModule } from '../../projects/resources/resource-module';
import { AUDIENCES } from './audiences.resource';

class AudiencesController extends ResourceController(AUDIENCES) {}

@Module(resourceModule(AUDIENCES, AudiencesController))
export class AudiencesModule {}
