import { Module } from '@nestjs/common';
import { TokenVerifier } from './token-verifier';
import { TokenStore } from './token.store';
import { TokensService } from './tokens.service';

@Module({ providers: [TokensService, TokenStore, TokenVerifier], exports: [TokensService, TokenVerifier] })
export class TokensModule {}
