import { Module } from '@nestjs/common';
import { ResultsModule } from '../results/results.module';
import { GoalImages } from './goal-images';
import { GoalImagesController } from './goal-images.controller';
import { ShareController } from './share.controller';
import { ShareModels } from './share-models';
import { SharePages } from './share-pages';
import { Shares } from './shares';

@Module({
  imports: [ResultsModule],
  controllers: [ShareController, GoalImagesController],
  providers: [Shares, ShareModels, SharePages, GoalImages],
  exports: [Shares, ShareModels],
})
export class SharingModule {}
