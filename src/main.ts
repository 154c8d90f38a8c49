import { answerArguments } from './server-arguments';
import { start } from './start';

const exitCode = answerArguments(process.argv.slice(2));
if (exitCode === null) {
  void start('server');
} else {
  process.exitCode = exitCode;
}
