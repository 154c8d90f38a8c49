import { setImmediate as othersTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database, Tx } from '../database/database';
import { CellStore } from './cells.store';
import { leftoverCells, ResultStates } from './result-states.store';

/**
 * Deletes cells that nothing shows or fills, in short transactions. Processes that end between a rebuild, or the removal
 * of old events, and the deletion of the cells that it replaced leave them.
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

  /** Locks the result, so that no rebuild begins with a generation that counts as left over here. */
  private async removeSome(tx: Tx, experimentId: number): Promise<boolean> {
    const states = await this.states.lock(tx, [experimentId]);
    return this.cells.removeSome(tx, states.flatMap(leftoverCells));
  }
}
