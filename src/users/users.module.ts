import { Module } from '@nestjs/common';
import { Sessions } from './sessions';
import { UsersService } from './users.service';

@Module({ providers: [UsersService, Sessions], exports: [UsersService, Sessions] })
export class UsersModule {}
