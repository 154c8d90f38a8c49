import { Injectable } from '@nestjs/common';
import { BackgroundWorker } from '../common/background-worker';
import { Config } from '../config/config';
import { GuardrailsService } from './guardrails.service';

/** Milliseconds between two checks. */
const REST_MS = 2_000;

/** Checks guardrails in processes that attribute events. */
@Injectable()
export class GuardrailWorker extends BackgroundWorker {
  constructor(
    config: Config,
    private readonly guardrails: GuardrailsService,
  ) {
    super(config, 'Guardrails could not be checked; the check will be retried');
  }

  protected async step(): Promise<number> {
    await this.guardrails.look();
    return REST_MS;
  }
}
