import { Global, Module } from '@nestjs/common';
import { DefaultEnvironment } from '../projects/dependents';
import { ReadOnlyController } from '../projects/resources/resource-controller';
import { resourceModule } from '../projects/resources/resource-module';
import { ENVIRONMENTS } from './environments.resource';
import { EnvironmentsService } from './environments.service';

class EnvironmentsController extends ReadOnlyController(ENVIRONMENTS) {}

const providers = [EnvironmentsService, { provide: DefaultEnvironment, useExisting: EnvironmentsService }];

/** Global, because projects ask for their default environment by its interface and do not know this module. */
@Global()
@Module(resourceModule(ENVIRONMENTS, EnvironmentsController, providers))
export class EnvironmentsModule {}
