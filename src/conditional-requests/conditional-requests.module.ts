import { Global, Module } from '@nestjs/common';
import { ReadyAnswers } from '../common/conditional-requests/ready-answers';
import { Tags } from '../common/conditional-requests/tags';
import { Config } from '../config/config';
import { Presenter } from './presenter';
import { SharedReads } from './shared-reads';

/** Version of the response format. Increment it when records change their format, so that old ETags stop matching. */
const FORM = '1';

@Global()
@Module({
  providers: [
    Presenter,
    SharedReads,
    { provide: ReadyAnswers, useFactory: () => new ReadyAnswers() },
    {
      provide: Tags,
      useFactory: ({ publicUrl, sessionSecret }: Config) => new Tags(FORM, publicUrl, sessionSecret ?? ''),
      inject: [Config],
    },
  ],
  exports: [ReadyAnswers, SharedReads, Tags, Presenter],
})
export class ConditionalRequestsModule {}
