import { setImmediate as othersTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database, Tx } from '../database/database';
import { CellStore } from './cells.store';
import { leftoverCells, ResultStates } from './result-states.store';

/**
 * Deletes cells that are neither shown nor being filled, in short transactions. A process leaves such cells behind if
 * it ends after a rebuild or a removal of old events but before it has deleted the replaced cells.
 */
@Injectable()
export class LeftoverCells {
  constructor(
    private readonly database: Database,
    private readonly cells: CellStore,
    private readonly states: ResultStates,
  ) {}

  async remove(): Promise<void> {
    for (const experimentId of await this.cells.experimentsWithLeftovers(this.database.read)) {
      while (await this.database.transaction((tx) => this.removeSome(tx, experimentId))) {
        await othersTurn();
      }
    }
  }

  /** Locks the result, so no rebuild can begin to fill a generation that this transaction deletes. */
  private async removeSome(tx: Tx, experimentId: number): Promise<boolean> {
    const states = await this.states.lock(tx, [experimentId]);
    return this.cells.removeSome(tx, states.flatMap(leftoverCells));
  }
}
