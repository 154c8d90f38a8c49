import { Module } from '@nestjs/common';
import { ResultsModule } from '../results/results.module';
import { ShareController } from './share.controller';
import { SharePages } from './share-pages';
import { Shares } from './shares';

@Module({ imports: [ResultsModule], controllers: [ShareController], providers: [Shares, SharePages] })
export class SharingModule {}
