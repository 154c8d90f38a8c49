import { InvalidArgumentError } from 'commander';
import { integer, MAX_ID, text } from '../common/validation/checks';
import type { FieldCheck } from '../common/validation/fields';

type Choices = Readonly<Record<string, string>>;

/** An option of a command, and how the text given for it becomes a value. */
export interface OptionSpec<T> {
  flags: string;
  description: string;
  required: boolean;
  /** Absent for options that are there or not. */
  parse?: (text: string) => T;
  /** The values of an option that has only a few, and what they mean, for its help text. */
  choices?: Choices;
  /** The value when it is left out. */
  fallback?: T;
  /** Left out of help texts. */
  isHidden?: boolean;
}

/** The type of an option's value. */
export type ValueOf<S> = S extends OptionSpec<infer T> ? T : never;

interface Kind<T> {
  parse: (text: string) => T;
  choices?: Choices;
}

const MAX_RATE_LIMIT = 1_000_000_000;
const MAX_LENGTH = 255;
const EMAIL = /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u;

/** An option that must be given. */
export function required<T>(flags: string, description: string, kind: Kind<T>): OptionSpec<T> {
  return { flags, description, required: true, ...kind };
}

/** An option that may be left out. */
export function optional<T>(flags: string, description: string, kind: Kind<T>): OptionSpec<T | undefined> {
  return { flags, description, required: false, ...kind };
}

/** An option that has a value also when it is left out. */
export function defaulted<T>(flags: string, description: string, kind: Kind<T>, fallback: T): OptionSpec<T> {
  return { flags, description, required: false, ...kind, fallback };
}

/** An option without a value. */
export function flag(flags: string, description: string): OptionSpec<boolean> {
  return { flags, description, required: false, fallback: false };
}

/** An option that is no one's business but the product's own scripts. */
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

/** Requests per minute. */
export const rateLimit = whole('rate limit', 0, MAX_RATE_LIMIT);

/** The name of a record, without surrounding blanks. */
export const name: Kind<string> = {
  parse: (given) => {
    const trimmed = given.trim();
    refuse(text(MAX_LENGTH, 1)(trimmed, 'name'));
    return trimmed;
  },
};

export const email: Kind<string> = {
  parse: (given) => {
    const address = given.trim().toLowerCase();
    refuse(text(MAX_LENGTH, 1)(address, 'e-mail address'));
    refuse(EMAIL.test(address) ? null : 'It must be an e-mail address such as ada@example.com.');
    return address;
  },
};

export const file: Kind<string> = {
  parse: (given) => {
    refuse(given === '' ? 'It must be the path of a file.' : null);
    return given;
  },
};

/** One of the keys of a record, which tells what they mean and which the compiler keeps complete. */
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
