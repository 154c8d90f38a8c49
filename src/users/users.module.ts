import { Module } from '@nestjs/common';
import { SessionStore } from './session.store';
import { Sessions } from './sessions';
import { UsersService } from './users.service';

@Module({ providers: [UsersService, Sessions, SessionStore], exports: [UsersService, Sessions] })
export class UsersModule {}
