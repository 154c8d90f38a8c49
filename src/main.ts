import { writeOut } from './common/files';
import { start } from './start';

const USAGE = `Usage: node dist/main.js

Starts the Gosset server. It takes no arguments. Configure it with environment variables or the file .env;
docs/production.md lists the variables.

To create users, teams, projects and tokens, use the admin command: npm run -s admin -- --help
`;

/**
 * Handles command-line arguments. The server takes no arguments, but a mistyped command must not start a second server.
 * @returns the exit code, or null to start
 */
function answerArguments(args: readonly string[]): 0 | 2 | null {
  const [first] = args;
  if (first === undefined) {
    return null;
  }
  if (args.length === 1 && ['--help', '-h'].includes(first)) {
    void writeOut(USAGE);
    return 0;
  }
  process.stderr.write(`The server takes no arguments, but was called with: ${args.join(' ')}\n\n${USAGE}`);
  return 2;
}

const exitCode = answerArguments(process.argv.slice(2));
if (exitCode === null) {
  void start('server');
} else {
  process.exitCode = exitCode;
}
