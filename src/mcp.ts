import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEnvFile } from './config/env-file';
import { runMcp, SettingError } from './mcp/program';
import type { ToolSource } from './mcp/tool-source';

/**
 * The file that contains the input from which the MCP tools are built. `npm run build` writes this file, so this
 * program needs neither the application nor a database.
 */
const SOURCE = join(__dirname, '../mcp-tools.json');

function readSource(): ToolSource {
  if (!existsSync(SOURCE)) {
    throw new SettingError(`${SOURCE} is missing. Run npm run build.`);
  }
  return JSON.parse(readFileSync(SOURCE, 'utf8')) as ToolSource;
}

const problem = readEnvFile();
if (problem === null) {
  process.exitCode = runMcp(process.argv.slice(2), process.env, readSource);
} else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
