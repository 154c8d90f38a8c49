import { Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Can, InTeam } from '../platform/access/route-access';
import { InScope, TeamItemScope, TeamScope, UserScope } from '../platform/access/scope';
import type { Created, Listed, Shown } from '../common/http/answers';
import type { RawQuery } from '../common/lists/list-query';
import {
  ActionOperation,
  CreateOperation,
  DeleteOperation,
  ListOperation,
  ShowOperation,
  UpdateOperation,
} from '../common/openapi/operations';
import { Submission, Submitted } from '../common/validation/submission';
import {
  AddMember,
  DryRunInvitedMemberRecord,
  InvitedMemberRecord,
  InviteMember,
  MemberRecord,
  UpdateMember,
} from './member.record';
import { MEMBER_PATH } from './member.store';
import { MembersService } from './members.service';
import { TeamRecord } from './team.record';
import { MEMBER_TEXTS, TEAM_LIST } from './teams.reference';
import { TeamsService } from './teams.service';

@ApiTags('Teams')
@Controller('teams')
export class TeamsController {
  constructor(private readonly teams: TeamsService) {}

  @Get()
  @Can('read')
  @ListOperation(TeamRecord, TEAM_LIST, false)
  list(@InScope() scope: UserScope, @Query() query: RawQuery): Promise<Listed<TeamRecord>> {
    return this.teams.list(scope, query);
  }
}

/**
 * The members of a team. Only admins may list or change them. The paths of their pages differ by the slash at the end,
 * which an empty path of a method would have, too.
 */
@ApiTags('Members')
@Controller('teams/:team')
@InTeam({ collection: 'members', item: MEMBER_PATH })
export class MembersController {
  constructor(private readonly members: MembersService) {}

  @Get('members')
  @Can('members:manage')
  @ListOperation(MemberRecord, MEMBER_TEXTS.list)
  list(@InScope() scope: TeamScope, @Query() query: RawQuery): Promise<Listed<MemberRecord>> {
    return this.members.list(scope, query);
  }

  @Post('members')
  @Can('members:manage')
  @CreateOperation(InvitedMemberRecord, AddMember, MEMBER_TEXTS.add, {
    dryRun: DryRunInvitedMemberRecord,
    parent: 'member list',
  })
  add(
    @InScope() scope: TeamScope,
    @Submitted(AddMember, InvitedMemberRecord) submission: Submission<AddMember>,
  ): Promise<Created<InvitedMemberRecord>> {
    return this.members.add(scope, submission);
  }

  @Get('members/:user')
  @Can('members:manage')
  @ShowOperation(MemberRecord, MEMBER_TEXTS.show)
  show(@InScope() scope: TeamItemScope): Promise<Shown<MemberRecord>> {
    return this.members.show(scope);
  }

  @Patch('members/:user')
  @Can('members:manage')
  @UpdateOperation(MemberRecord, UpdateMember, MEMBER_TEXTS.update)
  update(
    @InScope() scope: TeamItemScope,
    @Submitted(UpdateMember, MemberRecord) submission: Submission<UpdateMember>,
  ): Promise<Shown<MemberRecord>> {
    return this.members.update(scope, submission);
  }

  @Delete('members/:user')
  @HttpCode(204)
  @Can('members:manage')
  @DeleteOperation(MEMBER_TEXTS.remove)
  remove(@InScope() scope: TeamItemScope): Promise<void> {
    return this.members.remove(scope);
  }

  @Post('members/:user/invitation')
  @HttpCode(200)
  @Can('members:manage')
  @ActionOperation(InvitedMemberRecord, InviteMember, MEMBER_TEXTS.invite)
  invite(
    @InScope() scope: TeamItemScope,
    @Submitted(InviteMember) submission: Submission<InviteMember>,
  ): Promise<Shown<InvitedMemberRecord>> {
    return this.members.invite(scope, submission);
  }
}
