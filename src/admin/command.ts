import { Command, InvalidArgumentError, Option } from 'commander';
import type { AdminContext } from './context';
import type { OptionSpec, ValueOf } from './options';
import { INVOCATION, print, recordText, textBlock, ProgressBar } from './output';
import { UsageError } from './refusals';

type Options = Record<string, OptionSpec<unknown>>;

/** Option values, by the declared option names. */
export type Values<O extends Options> = { [K in keyof O]: ValueOf<O[K]> };

/** One command: its options, its action, and its output. */
export interface CommandSpec<O extends Options, R extends object> {
  name: string;
  summary: string;
  /** Additional help text. */
  details?: string;
  options: O;
  /** Options of example invocations, without the command's name. */
  examples: string[];
  /** Runs the command. The result is printed as JSON with `--json`. Long commands report their progress. */
  run: (values: Values<O>, context: AdminContext, progress: ProgressBar) => Promise<R>;
  /** Whether the command writes its own output. If so, its result is not printed and `--json` is rejected. */
  printsItself?: (values: Values<O>) => boolean;
  /** The result as text; by default, a record with one name and value per line. */
  show?: (result: R) => string | Promise<string>;
}

/** The program to which commands are added. */
export interface CommandGroup {
  program: Command;
  context: AdminContext;
  /** Heading of the group in the list of commands. */
  heading: string;
}

/** Adds a command to the program. */
export function addCommand<O extends Options, R extends object>(
  { program, context, heading }: CommandGroup,
  spec: CommandSpec<O, R>,
): void {
  const needed = Object.values(spec.options).flatMap(({ required, flags }) => (required ? flags : []));
  const command = program.command(spec.name).helpGroup(heading).summary(spec.summary);
  command.usage([...needed, '[options]'].join(' '));
  command.description([spec.summary, spec.details].filter((part) => part !== undefined).join('. ') + '.');
  command.addHelpText('after', helpText(spec));
  const declared = Object.entries(spec.options).map(([key, option]) => ({
    key,
    option,
    own: toOption(option),
  }));
  for (const { own } of declared) {
    command.addOption(own);
  }
  command.action(async () => {
    const given: Record<string, unknown> = command.opts();
    const values = Object.fromEntries(
      declared.map(({ key, option, own }) => [key, given[own.attributeName()] ?? option.fallback]),
    );
    const { json } = command.optsWithGlobals<{ json?: boolean }>();
    const isSilent = spec.printsItself?.(values as Values<O>) === true;
    if (isSilent && json === true) {
      throw new UsageError('--json cannot be combined with data output to standard output.');
    }
    const progress = new ProgressBar(json !== true && process.stderr.isTTY);
    const result = await spec.run(values as Values<O>, context, progress).finally(() => progress.stop());
    if (!isSilent) {
      await print(json === true ? JSON.stringify(result) : await (spec.show ?? recordText)(result));
    }
  });
}

type Helped = Pick<CommandSpec<Options, object>, 'name' | 'options' | 'examples'>;

/** The text after the list of options. */
function helpText({ name, options, examples }: Helped): string {
  const choices = Object.values(options).flatMap(({ flags, choices: meanings }) =>
    meanings === undefined ? [] : ['', `${flags}:`, textBlock(Object.entries(meanings))],
  );
  const invocations = examples.map((given) => [`${INVOCATION} ${name} ${given}`.trimEnd()]);
  return [...choices, '', 'Examples:', textBlock(invocations)].join('\n');
}

function toOption(spec: OptionSpec<unknown>): Option {
  const { flags, description, required, parse, isRepeatable, isHidden } = spec;
  const option = new Option(flags, description);
  if (parse !== undefined) {
    option.argParser((given, previous) => {
      // Commander would take the last value, so a command such as visitors:delete would ignore all others.
      if (previous !== undefined && isRepeatable !== true) {
        throw new InvalidArgumentError('This option takes one value, but was given more than once.');
      }
      return parse(given, previous);
    });
  }
  return option.makeOptionMandatory(required).hideHelp(isHidden === true);
}
