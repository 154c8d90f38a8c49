import { Module } from '@nestjs/common';
import { VisitorsController } from './visitors.controller';
import { VisitorStore } from './visitor.store';
import { VisitorsService } from './visitors.service';

/** The stored data of one visitor. */
@Module({ controllers: [VisitorsController], providers: [VisitorsService, VisitorStore] })
export class VisitorsModule {}
