import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Command, CommanderError } from 'commander';
import { isTokenText } from '../users/tokens/token-text';
import { fetchPort, ServerAccess } from './fetch-port';
import { createMcpServer, createTools } from './server';
import type { ToolSource } from './tool-source';

const DEFAULT_URL = 'http://localhost:3000';

const HELP = `
Environment variables, which can also be set in a file .env in the working directory:
  GOSSET_TOKEN  an API token, gos_...; read only, unless the assistant must change things
  GOSSET_URL    address of the server (default: ${DEFAULT_URL})`;

const NO_URL = { protocol: '', href: '', origin: '', pathname: '' };

/** A missing or invalid environment variable. */
export class SettingError extends Error {}

function readAccess(environment: NodeJS.ProcessEnv): ServerAccess {
  const token = environment.GOSSET_TOKEN?.trim() ?? '';
  const url = (environment.GOSSET_URL?.trim() || DEFAULT_URL).replace(/\/+$/, '');
  if (token === '') {
    throw new SettingError(
      'GOSSET_TOKEN is not set. Create an API token on the settings page of the server, and set the variable to it.',
    );
  }
  if (!isTokenText(token)) {
    throw new SettingError(
      'GOSSET_TOKEN is not an API token: gos_ followed by 46 letters and digits. Is part of it missing?',
    );
  }
  checkUrl(url);
  return { url, token };
}

function checkUrl(text: string): void {
  const { protocol, href, origin, pathname } = URL.canParse(text) ? new URL(text) : NO_URL;
  if (!/^https?:$/.test(protocol)) {
    throw new SettingError(`GOSSET_URL must be an http(s) address such as ${DEFAULT_URL}, not "${text}".`);
  }
  // Keeps passwords in the URL out of the message.
  if (href !== origin + pathname) {
    throw new SettingError(
      `GOSSET_URL must be an address such as ${DEFAULT_URL}, without a user name, password, query (?) or fragment (#).`,
    );
  }
}

/** Reports to standard error, because standard output is reserved for the protocol. */
const report = (error: unknown): void => {
  process.stderr.write(`${error instanceof Error ? String(error.stack) : String(error)}\n`);
};

function serve(environment: NodeJS.ProcessEnv, readSource: () => ToolSource): void {
  const call = fetchPort(readAccess(environment));
  const tools = createTools(readSource());
  serveStdio(() => createMcpServer(tools, { call, report }), { onerror: report, maxSubscriptions: 0 });
}

/**
 * Serves an assistant over standard input and output until they are closed.
 * @param readSource reads the input from which the tools are built
 * @returns the exit code if nothing is served: 0 for help, 2 for incorrect usage, 1 for any other error; undefined
 * while serving
 */
export function runMcp(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  readSource: () => ToolSource,
): number | undefined {
  const program = new Command('npm run -s mcp --')
    .description(
      'Lets an AI assistant work with Gosset: serves the Model Context Protocol over standard input and output.',
    )
    .addHelpText('after', HELP)
    .allowExcessArguments(false)
    .exitOverride()
    .action(() => serve(environment, readSource));
  try {
    program.parse(args, { from: 'user' });
    return undefined;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? 0 : 2;
    }
    process.stderr.write(`${error instanceof SettingError ? error.message : String(error)}\n`);
    return 1;
  }
}
