import { Injectable } from '@nestjs/common';
import { BackgroundWorker } from '../../common/background-worker';
import { Config } from '../../config/config';
import { ResultWatch } from './result-watch';

const REST_MS = 5_000;

/** Checks for changed results in processes that attribute events. */
@Injectable()
export class ResultWatcher extends BackgroundWorker {
  constructor(
    config: Config,
    private readonly watch: ResultWatch,
  ) {
    super(config, 'Results could not be compared; this will be retried');
  }

  protected async step(): Promise<number> {
    return (await this.watch.step()) ? 0 : REST_MS;
  }
}
