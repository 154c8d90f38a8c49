import { Global, Module } from '@nestjs/common';
import { ReadyAnswers, SharedReads } from './shared-reads';
import { Tags } from '../../common/http/etag';
import { Config } from '../../config/config';
import { VERSION } from '../../config/version';
import { Presenter } from './presenter';

@Global()
@Module({
  providers: [
    Presenter,
    SharedReads,
    { provide: ReadyAnswers, useFactory: () => new ReadyAnswers() },
    {
      provide: Tags,
      useFactory: ({ publicUrl, sessionSecret }: Config) => new Tags(VERSION, publicUrl, sessionSecret ?? ''),
      inject: [Config],
    },
  ],
  exports: [ReadyAnswers, SharedReads, Tags, Presenter],
})
export class ConditionalRequestsModule {}
