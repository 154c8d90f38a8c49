import { Module } from '@nestjs/common';
import { ResultsModule } from '../results/results.module';
import { GoalImages } from './goal-images';
import { GoalImagesController } from './goal-images.controller';
import { ShareController } from './share.controller';
import { SharePages } from './share-pages';
import { Shares } from './shares';

@Module({
  imports: [ResultsModule],
  controllers: [ShareController, GoalImagesController],
  providers: [Shares, SharePages, GoalImages],
})
export class SharingModule {}
