import { existsSync } from 'node:fs';
import { runMcp } from './mcp/program';

if (existsSync('.env')) {
  process.loadEnvFile('.env');
}
process.exitCode = runMcp(process.argv.slice(2), process.env);
