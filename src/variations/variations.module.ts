import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/projects.module';
import { PreviewLinks } from './preview-links';
import { VariationsController } from './variations.controller';
import { VariationsService } from './variations.service';

@Module({
  imports: [ProjectsModule],
  controllers: [VariationsController],
  providers: [VariationsService, PreviewLinks],
  exports: [PreviewLinks],
})
export class VariationsModule {}
