import { Global, Module } from '@nestjs/common';
import { DefaultEnvironment } from '../../projects/dependents';
import { ReadOnlyController } from '../../projects/resources/resource-controller';
import { moduleMetadata } from '../../projects/resources/resource-module';
import { EnvironmentSettingsController } from './environment-settings.controller';
import { ENVIRONMENTS } from './environments.resource';
import { EnvironmentsService } from './environments.service';

class EnvironmentsController extends ReadOnlyController(ENVIRONMENTS) {}

const providers = [EnvironmentsService, { provide: DefaultEnvironment, useExisting: EnvironmentsService }];

const area = moduleMetadata(ENVIRONMENTS, EnvironmentsController, providers);

/**
 * This module is global because projects get their default environment through an interface, without depending on this
 * module.
 */
@Global()
@Module({ ...area, controllers: [...(area.controllers ?? []), EnvironmentSettingsController] })
export class EnvironmentsModule {}
