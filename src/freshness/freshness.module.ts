import { Global, Module } from '@nestjs/common';
import { ReadyAnswers } from '../common/freshness/ready-answers';
import { Tags } from '../common/freshness/tags';
import { Config } from '../config/config';
import { Presenter } from './presenter';

/** Version of what answers look like; raise it when records change their form, so that old ETags stop matching. */
const FORM = '1';

@Global()
@Module({
  providers: [
    Presenter,
    { provide: ReadyAnswers, useFactory: () => new ReadyAnswers() },
    {
      provide: Tags,
      useFactory: ({ publicUrl, sessionSecret }: Config) => new Tags(FORM, publicUrl, sessionSecret ?? ''),
      inject: [Config],
    },
  ],
  exports: [ReadyAnswers, Tags, Presenter],
})
export class FreshnessModule {}
