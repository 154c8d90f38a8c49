import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module';
import { setPrefix } from './platform/access/api-prefix';
import { loadConfig } from './config/config';
import { Database } from './database/database';
import { toolSource } from './mcp/source';
import type { ToolSource } from './mcp/tool-source';
import type { Resource } from './projects/resources/resource';
import { RESOURCES } from './resources/registry';

/** Derives the input for the MCP tools from the application's declarations, without instantiating anything. */
export async function describeTools(resources: readonly Resource[] = RESOURCES): Promise<ToolSource> {
  const config = loadConfig({});
  const database = Object.create(Database.prototype) as Database;
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.forRoot(config, database),
    new FastifyAdapter(),
    { preview: true, logger: false, abortOnError: false },
  );
  setPrefix(app);
  return toolSource(app, config, resources);
}

/** Writes the input for the MCP tools to `dist/mcp-tools.json`. The build runs this, and `mcp.ts` reads the file. */
async function write(): Promise<void> {
  writeFileSync(join(__dirname, '../mcp-tools.json'), JSON.stringify(await describeTools()));
}

if (require.main === module) {
  void write();
}
