import { Module } from '@nestjs/common';
import { TokenVerifier } from './token-verifier';
import { TokensService } from './tokens.service';

@Module({ providers: [TokensService, TokenVerifier], exports: [TokensService, TokenVerifier] })
export class TokensModule {}
