import { Module } from '@nestjs/common';
import { ProjectsModule } from '../../projects/projects.module';
import { PreviewLinks } from './preview-links';
import { VariationStore } from './variation.store';
import { VariationsController } from './variations.controller';
import { VariationsService } from './variations.service';

@Module({
  imports: [ProjectsModule],
  controllers: [VariationsController],
  providers: [VariationsService, VariationStore, PreviewLinks],
  exports: [PreviewLinks, VariationsService, VariationStore],
})
export class VariationsModule {}
