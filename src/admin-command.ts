import 'reflect-metadata';
import { existsSync } from 'node:fs';
import { runAdmin } from './admin/program';
import { reportFailure } from './admin/refusals';

/** Runs one command. @returns the exit code */
export function runCommand(args: string[], environment: NodeJS.ProcessEnv): Promise<number> {
  return runAdmin(args, environment, async () => (await import('./entities.js')).entities);
}

/** Runs the command that the process was started with. */
export async function main(): Promise<void> {
  try {
    if (existsSync('.env')) {
      process.loadEnvFile('.env');
    }
    process.exitCode = await runCommand(process.argv.slice(2), process.env);
  } catch (error) {
    process.exitCode = reportFailure(error);
  }
}
