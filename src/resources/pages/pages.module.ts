import { Module } from '@nestjs/common';
import { ResourceController } from '../../projects/resources/resource-controller';
import { resourceModule } from '../../projects/resources/resource-module';
import { PAGES } from './pages.resource';

class PagesController extends ResourceController(PAGES) {}

@Module(resourceModule(PAGES, PagesController))
export class PagesModule {}
