import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { PublishingModule } from '../../publishing/publishing.module';
import { DatabaseProbe } from './database-probe';
import { HealthController } from './health.controller';

@Module({
  imports: [TerminusModule.forRoot({ logger: false }), PublishingModule],
  controllers: [HealthController],
  providers: [DatabaseProbe],
})
export class HealthModule {}
