import { Module } from '@nestjs/common';
import { Identities } from './identities';
import { IdentityStore } from './user.store';
import { InvitationStore } from './invitation.store';
import { Invitations } from './invitations';
import { SessionStore } from './session.store';
import { Sessions } from './sessions';
import { UsersService } from './users.service';

@Module({
  providers: [UsersService, Sessions, SessionStore, Invitations, InvitationStore, Identities, IdentityStore],
  exports: [UsersService, Sessions, Invitations, Identities],
})
export class UsersModule {}
