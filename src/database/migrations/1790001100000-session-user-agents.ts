import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './schema';

/** Adds the user agent to sessions. It is null for earlier sessions. */
export class SessionUserAgents1790001100000 implements MigrationInterface {
  readonly name = 'SessionUserAgents1790001100000';

  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'sessions', 'user_agent', 'line');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sessions DROP COLUMN user_agent');
  }
}
