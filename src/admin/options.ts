import { readFile } from 'node:fs/promises';
import { InvalidArgumentError } from 'commander';
import { DAY_MICROS, parseDay, type Micros, parseResponseTime } from '../common/time/clock';
import { integer, name as checkName, text } from '../common/validation/checks';
import type { FieldCheck } from '../common/validation/fields';
import { MAX_ID } from '../common/validation/values';
import { isVisitorId } from '../events/visitor-id';
import { EMAIL, MAX_EMAIL, normalizeEmail } from '../users/email';
import { reasonOf, RefusedError, UsageError } from './refusals';

type Choices = Readonly<Record<string, string>>;

/** An option of a command, with its parser. */
export interface OptionSpec<T> {
  flags: string;
  description: string;
  required: boolean;
  /** Absent for flags, which take no value. */
  parse?: (text: string, previous?: unknown) => T;
  /** Whether the option can be given several times. */
  isRepeatable?: boolean;
  /** The allowed values of an option with their meanings, for its help text. */
  choices?: Choices;
  /** The default value. */
  fallback?: T;
  /** Whether help text omits the option. */
  isHidden?: boolean;
}

/** The type of an option's value. */
export type ValueOf<S> = S extends OptionSpec<infer T> ? T : never;

interface Kind<T> {
  parse: (text: string, previous?: unknown) => T;
  isRepeatable?: boolean;
  choices?: Choices;
}

const MAX_RATE_LIMIT = 1_000_000_000;
const MAX_DAYS = 3_650;
/** A timestamp with an offset, because the time zone of this machine may differ from the user's. */
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** A required option. */
export function required<T>(flags: string, description: string, kind: Kind<T>): OptionSpec<T> {
  return { flags, description, required: true, ...kind };
}

/** An option that can be omitted. */
export function optional<T>(flags: string, description: string, kind: Kind<T>): OptionSpec<T | undefined> {
  return { flags, description, required: false, ...kind };
}

/** An option with a default. */
export function defaulted<T>(flags: string, description: string, kind: Kind<T>, fallback: T): OptionSpec<T> {
  return { flags, description, required: false, ...kind, fallback };
}

/** An option that takes no value. */
export function flag(flags: string, description: string): OptionSpec<boolean> {
  return { flags, description, required: false, fallback: false };
}

/** A hidden option for the product's own scripts. */
export const hidden = <T>(option: OptionSpec<T>): OptionSpec<T> => ({ ...option, isHidden: true });

function refuse(problem: ReturnType<FieldCheck>): void {
  if (typeof problem === 'string') {
    throw new InvalidArgumentError(problem);
  }
}

function whole(label: string, min: number, max: number): Kind<number> {
  const check = integer(min, max);
  return {
    parse: (given) => {
      const value = /^\d{1,10}$/.test(given) ? Number(given) : NaN;
      refuse(check(value, label));
      return value;
    },
  };
}

export const id = whole('id', 1, MAX_ID);

/** A publication's revision number. */
export const revision = whole('revision', 1, MAX_ID);

/** A number of days from now. */
export const days = whole('number of days', 1, MAX_DAYS);

/** A repeatable option. */
export const listOf = <T>({ parse }: Kind<T>): Kind<T[]> => ({
  parse: (given, previous) => [...((previous as T[] | undefined) ?? []), parse(given)],
  isRepeatable: true,
});

/** Requests per minute. */
export const rateLimit = whole('rate limit', 0, MAX_RATE_LIMIT);

/** The name of a record, without leading or trailing spaces. */
export const name: Kind<string> = {
  parse: (given) => {
    const trimmed = given.trim();
    refuse(checkName(trimmed, 'name'));
    return trimmed;
  },
};

export const email: Kind<string> = {
  parse: (given) => {
    const address = normalizeEmail(given);
    refuse(text(MAX_EMAIL, 1)(address, 'e-mail address'));
    refuse(EMAIL.test(address) ? null : 'It must be an e-mail address such as ada@example.com.');
    return address;
  },
};

export const file: Kind<string> = {
  parse: (given) => {
    refuse(given === '' ? 'It must be a file path.' : null);
    return given;
  },
};

/** A database URL, or `env:` and the name of a variable that contains it. The command checks the URL. */
export const databaseAddress: Kind<string> = {
  parse: (given) => {
    refuse(given === '' ? 'It must be a database URL.' : null);
    return given;
  },
};

export const visitorId: Kind<string> = {
  parse: (given) => {
    refuse(isVisitorId(given) ? null : 'It must be 1 to 64 printable ASCII characters.');
    return given;
  },
};

/** An ISO 8601 timestamp or a day, which means midnight UTC; parsed to microseconds since 1970. */
export const moment: Kind<Micros> = {
  parse: (given) => {
    const day = parseDay(given);
    const time = DATE_TIME.test(given) ? parseResponseTime(given) : null;
    if (day === null && time === null) {
      throw new InvalidArgumentError('It must be a timestamp such as 2026-05-01T09:30:00Z, or a date.');
    }
    return time ?? (day ?? 0) * DAY_MICROS;
  },
};

/** One of the keys of a record. The record contains their meanings, and the compiler checks that it is complete. */
export function oneOf<T extends string>(choices: Readonly<Record<T, string>>): Kind<T> {
  const known = Object.keys(choices) as T[];
  return {
    choices,
    parse: (given) => {
      const found = known.find((candidate) => candidate === given);
      if (found === undefined) {
        throw new InvalidArgumentError(`It must be one of: ${known.join(', ')}.`);
      }
      return found;
    },
  };
}

/**
 * The text of a file, without the byte order mark that Windows programs add. @throws RefusedError if it cannot be read
 */
export async function textIn(path: string): Promise<string> {
  try {
    return new TextDecoder().decode(await readFile(path));
  } catch (error) {
    throw new RefusedError(`${path} cannot be read: ${reasonOf(error)}`);
  }
}

/** Checks the options of a period. @throws UsageError if both times are given, and `--until` is not after `--from` */
export function checkPeriod({ from, until }: { from?: number; until?: number }): void {
  if (from !== undefined && until !== undefined && until <= from) {
    throw new UsageError('--until must be after --from.');
  }
}
