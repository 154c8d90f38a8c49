import 'reflect-metadata';
import { existsSync } from 'node:fs';
import { runAdmin } from './admin/program';
import { reportFailure } from './admin/refusals';

async function main(): Promise<void> {
  try {
    if (existsSync('.env')) {
      process.loadEnvFile('.env');
    }
    const loadEntities = async () => (await import('./entities.js')).entities;
    process.exitCode = await runAdmin(process.argv.slice(2), process.env, loadEntities);
  } catch (error) {
    process.exitCode = reportFailure(error);
  }
}

void main();
