import 'reflect-metadata';
import { runAdmin } from './admin/program';
import { reportFailure } from './admin/refusals';
import { ConfigError } from './config/config';
import { readEnvFile } from './config/env-file';

/** Runs one command. @returns the exit code */
export function runCommand(args: string[], environment: NodeJS.ProcessEnv): Promise<number> {
  return runAdmin(args, environment, async () => (await import('./entities.js')).entities);
}

/** Runs the command that the process was started with. */
export async function main(): Promise<void> {
  try {
    const problem = readEnvFile();
    if (problem !== null) {
      throw new ConfigError([problem]);
    }
    process.exitCode = await runCommand(process.argv.slice(2), process.env);
  } catch (error) {
    process.exitCode = reportFailure(error);
  }
}
