import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { PathItem } from '../../platform/access/scope';
import type { ListQuery } from '../../common/lists/list-query';
import type { Micros } from '../../common/time/clock';
import { Database, Tx } from '../../database/database';
import { listRows } from '../../database/named-rows';
import { RowStore } from '../../database/row-store';
import { Variation } from './variation.entity';

/** The experiment columns on which its variations depend. */
export interface ParentExperiment {
  id: number;
  status: string;
  /** Null if the experiment has not started. */
  started_at: number | string | null;
  example_url: string | null;
  preview_version: number;
}

@Injectable()
export class VariationStore extends RowStore<Variation> {
  constructor(database: Database) {
    super(database, Variation);
  }

  listOfExperiment(
    manager: EntityManager,
    experimentId: number,
    query: ListQuery,
  ): Promise<{ rows: Variation[]; total: number }> {
    const inExperiment = { sql: 'experiment_id = ?', parameters: [experimentId] };
    return listRows<Variation, keyof Variation>(manager, this, this.columnNames, inExperiment, query);
  }

  /** In id order. */
  ofExperiment(manager: EntityManager, experimentId: number): Promise<Variation[]> {
    return this.find(manager, 'experiment_id = ?', [experimentId]);
  }

  /** The experiment that the variations belong to; null if it does not exist or is deleted. */
  async parent(tx: Tx, experimentId: number): Promise<ParentExperiment | null> {
    const [row]: ParentExperiment[] = await tx.query(
      'SELECT id, status, started_at, example_url, preview_version FROM experiments WHERE id = ? AND deleted_at IS NULL',
      [experimentId],
    );
    return row ?? null;
  }

  /** Whether the experiment has ever had participants. */
  async hasParticipants(tx: Tx, experimentId: number): Promise<boolean> {
    const sql = 'SELECT experiment_id FROM experiment_results WHERE experiment_id = ?';
    const results: unknown[] = await tx.query(sql, [experimentId]);
    return results.length > 0;
  }

  /** Whether the experiment's decision names this variation. */
  async isDecided(tx: Tx, experimentId: number, variationId: number): Promise<boolean> {
    const [row]: { decision: string | null }[] = await tx.query(
      'SELECT decision FROM experiments WHERE id = ?',
      [experimentId],
    );
    const decision = JSON.parse(row?.decision ?? 'null') as { variation_id: number | null } | null;
    return decision?.variation_id === variationId;
  }

  /** Experiments include their variations, so changing a variation changes the experiment version. */
  async countUpParent(tx: Tx, experimentId: number, now: Micros): Promise<void> {
    await tx.query('UPDATE experiments SET version = version + 1, updated_at = ? WHERE id = ?', [
      now,
      experimentId,
    ]);
  }
}

/** Increments the version of every variation in an experiment. */
export async function countUpVariations(tx: Tx, experimentId: number): Promise<void> {
  await tx.query('UPDATE variations SET version = version + 1 WHERE experiment_id = ?', [experimentId]);
}

/** A variation in a path, below its experiment. */
export const variationPath: PathItem = {
  param: 'variation',
  table: 'variations',
  parentColumn: 'experiment_id',
};
