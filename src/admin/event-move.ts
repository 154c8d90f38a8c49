import type { Config } from '../config/config';
import type { Entities } from '../database/data-source';
import { OpeningError } from '../database/opening-error';
import { EventMoveRefusedError } from '../events/move/event-move-refused.error';
import type { EventMoveService } from '../events/move/event-move.service';
import { startEventMove } from './application';
import { RefusedError } from './refusals';

/** Does work of the move of events. @throws RefusedError with the reason why it is not done, or not finished */
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
