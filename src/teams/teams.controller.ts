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
  TeamRecord,
} from './team.record';
import { MEMBER_PATH } from './team.store';
import { MembersService } from './members.service';
import { TeamsService } from './teams.service';

/** Reference texts for the team list. */
const TEAM_LIST = {
  id: 'listTeams',
  summary: 'List your teams',
  description: `Start here: there is no list of all projects, so take a team id from this list and list the team's projects.
The list contains the teams in which the token's owner has a role.`,
};

/** Reference texts for the member operations. */
const MEMBER_TEXTS = {
  list: {
    id: 'listMembers',
    summary: 'List the members of a team',
    description:
      'The users with a role in the team. Only team admins can list them. `sort=id` sorts by the user id.',
  },
  show: {
    id: 'showMember',
    summary: 'Show a member',
    description: 'One user with a role in the team.',
  },
  add: {
    id: 'addMember',
    summary: 'Add a member',
    description: `Adds the user with this e-mail address to the team. If no such user exists, a user without a password is created, and
\`invitation_url\` is a link to set one. Send the link to the person yourself: Gosset sends no e-mail and does not verify the address. The link
can be used once, is valid for 7 days, and is shown only in this response. If the link is lost or has expired, create a new invitation. If the user was invited to another team, an unused link from that invitation stops working.`,
  },
  update: {
    id: 'updateMember',
    summary: "Change a member's role",
    description: `The new role applies immediately. The last admin of a team cannot get another role. If an admin gets another role, all
unused invitation links of the team's members stop working, because the admin may have kept them.`,
  },
  remove: {
    id: 'removeMember',
    summary: 'Remove a member',
    description: `The user and all of the user's tokens lose access to the team immediately, and any unused invitation link stops working. If the user
was an admin, the unused links of all the team's members stop working. The user is not deleted. The last admin of a team cannot be removed.`,
  },
  invite: {
    id: 'inviteMember',
    summary: 'Create a new invitation',
    description: `Creates a new link for an invited member who has not set a password yet. It replaces the previous link. Rejected for users
who have a password, who were not invited, or who are in a team that you do not manage.`,
  },
} as const;

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
 * The members of a team. Only admins may list or change them. The methods declare their full paths. If a method path
 * were empty, the full path would end with a slash, like the paths of console pages.
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
