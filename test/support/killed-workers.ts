import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Made, Scene } from './scene';
import { ServerProcess } from './server-process';
import { until } from './waiting';

const PRELOAD = join(__dirname, 'hold-publication.cjs');

/** Kills a process, by default with SIGKILL, and waits for its exit. */
export async function kill(process: ServerProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  process.kill(signal);
  await process.exit;
}

/** Functions that start worker processes on the database of a scene, and that check their effects. */
export function useWorkers(scene: Scene) {
  const worker = (environment: Record<string, string> = {}): Promise<ServerProcess> =>
    ServerProcess.spawn({ DATABASE_URL: scene.api.databaseUrl, WORKER: 'only', ...environment });

  /** Starts a worker, and kills it within a publishing transaction, before the commit. */
  async function killedBeforeCommit(what: string): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'gosset-held-'));
    const held = join(folder, 'held');
    const process = await worker({ NODE_OPTIONS: `--require=${PRELOAD}`, HELD_FILE: held });
    await until(() => existsSync(held), what);
    await kill(process);
    rmSync(folder, { recursive: true });
  }

  const read = async ({ path }: { path: string }): Promise<Made> =>
    (await scene.client.get(path)).body as Made;

  const areIn = (experiments: readonly Made[], status: string) => async (): Promise<boolean> => {
    const all = await Promise.all(experiments.map(read));
    return all.every((experiment) => experiment.status === status);
  };

  const isOneIn = (experiments: readonly Made[], status: string) => async (): Promise<boolean> => {
    const all = await Promise.all(experiments.map(read));
    return all.some((experiment) => experiment.status === status);
  };

  const revisionNow = async (): Promise<number> =>
    (await scene.client.get(scene.project)).body.snippet_revision as number;

  return { worker, killedBeforeCommit, areIn, isOneIn, revisionNow };
}
