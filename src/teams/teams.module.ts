import { Module } from '@nestjs/common';
import { UsersModule } from '../users/users.module';
import { MemberStore, TeamStore } from './team.store';
import { MembersController, TeamsController } from './teams.controller';
import { MembersService } from './members.service';
import { Memberships } from './memberships';
import { TeamsService } from './teams.service';

@Module({
  imports: [UsersModule],
  controllers: [TeamsController, MembersController],
  providers: [TeamsService, TeamStore, MembersService, MemberStore, Memberships],
  exports: [TeamsService, MembersService, Memberships],
})
export class TeamsModule {}
