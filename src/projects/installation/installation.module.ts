import { Module } from '@nestjs/common';
import { ResultsModule } from '../../results/results.module';
import { InstallationController } from './installation.controller';
import { InstallationService } from './installation.service';
import { InstallationStore } from './installation.store';

/** Checks whether the installation of a project works. */
@Module({
  imports: [ResultsModule],
  controllers: [InstallationController],
  providers: [InstallationService, InstallationStore],
  exports: [InstallationService],
})
export class InstallationModule {}
