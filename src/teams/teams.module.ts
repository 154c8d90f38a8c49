import { Module } from '@nestjs/common';
import { TeamsController } from './teams.controller';
import { TeamStore } from './team.store';
import { TeamsService } from './teams.service';

@Module({ controllers: [TeamsController], providers: [TeamsService, TeamStore], exports: [TeamsService] })
export class TeamsModule {}
