import type { Config } from '../config/config';
import type { Entities } from '../database/data-source';
import { OpeningError } from '../database/errors';
import { EventMoveRefusedError } from '../events/event-log';
import { EventMoveModule } from '../events/move/event-move.module';
import { EventMoveService } from '../events/move/event-move.service';
import { RefusedError } from './refusals';
import { startModule } from './start-module';

/** The services that move events to ClickHouse. */
export interface StartedMove {
  service: EventMoveService;
  close: () => Promise<void>;
}

/** Starts the services without the rest of the application. @throws RefusedError, like `startModule` */
export async function startEventMove(config: Config, entities: Entities): Promise<StartedMove> {
  const app = await startModule(config, entities, EventMoveModule);
  return { service: app.get(EventMoveService), close: () => app.close() };
}

/** Runs a step of moving events. @throws RefusedError with the reason if the step failed or is unfinished */
export async function movingEvents<T>(
  config: Config,
  entities: Entities,
  work: (service: EventMoveService) => Promise<T>,
): Promise<T> {
  const { service, close } = await startEventMove(config, entities);
  try {
    return await work(service);
  } catch (error) {
    const isRefused = error instanceof EventMoveRefusedError || error instanceof OpeningError;
    throw isRefused ? new RefusedError(error.message) : error;
  } finally {
    await close();
  }
}
