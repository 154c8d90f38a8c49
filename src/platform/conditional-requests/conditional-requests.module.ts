import { Global, Module } from '@nestjs/common';
import { ReadyAnswers, SharedReads } from './shared-reads';
import { Tags } from '../../common/http/etag';
import { Config } from '../../config/config';
import { Presenter } from './presenter';

/** Version of the response format. Increment it when the record format changes, so old ETags stop matching. */
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
