import type { Failure } from './failure';
import type { FieldCheck } from './fields';

/* Checks of single values, for `Field`. Lengths count Unicode code points, sizes of code count bytes. */

/** The largest id that a record can have, on every database. */
export const MAX_ID = 2_147_483_647;

const MAX_CODE_BYTES = 256 * 1024;

function textProblem(value: unknown, label: string): string | null {
  if (typeof value !== 'string') {
    return `The ${label} must be a text.`;
  }
  if (value.includes('\0')) {
    return `The ${label} may not contain NUL characters.`;
  }
  return value.isWellFormed()
    ? null
    : `The ${label} contains half of a surrogate pair, which is not a character.`;
}

/** Number of code points, without building an array for texts that are short enough anyway. */
function isLongerThan(text: string, max: number): boolean {
  return text.length > max && [...text].length > max;
}

export function text(max: number, min = 0): FieldCheck {
  return (value, label) => {
    const problem = textProblem(value, label);
    if (problem !== null) {
      return problem;
    }
    if (min > 0 && value === '') {
      return `The ${label} field is required.`;
    }
    return isLongerThan(value as string, max)
      ? `The ${label} may not be longer than ${max} characters.`
      : null;
  };
}

/** Text that the given check accepts, and not larger than 256 KiB. */
export function code(check: (text: string) => string | null): FieldCheck {
  return (value, label) => {
    const problem = textProblem(value, label);
    if (problem !== null) {
      return problem;
    }
    if (Buffer.byteLength(value as string) > MAX_CODE_BYTES) {
      return `The ${label} may not be larger than 256 KiB.`;
    }
    return check(value as string);
  };
}

export function matching(pattern: RegExp, expectation: string): FieldCheck {
  return (value, label) =>
    typeof value === 'string' && pattern.test(value) ? null : `The ${label} must be ${expectation}.`;
}

export function oneOf(allowed: readonly string[]): FieldCheck {
  return (value, label) =>
    typeof value === 'string' && allowed.includes(value)
      ? null
      : `The ${label} must be one of: ${allowed.join(', ')}.`;
}

export function integer(min: number, max: number): FieldCheck {
  return (value, label) =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      ? null
      : `The ${label} must be a whole number between ${min} and ${max}.`;
}

/** Does the number have at most two decimals, as written in JSON? */
export function hasTwoDecimals(value: number): boolean {
  return Number((Math.round(value * 100) / 100).toFixed(2)) === value;
}

export function percent(min: number, max: number): FieldCheck {
  return (value, label) => {
    if (typeof value !== 'number' || !(value >= min && value <= max)) {
      return `The ${label} must be between ${min} and ${max}.`;
    }
    return hasTwoDecimals(value) ? null : `The ${label} may have at most two decimals.`;
  };
}

export const flag: FieldCheck = (value, label) =>
  typeof value === 'boolean' ? null : `The ${label} must be true or false.`;

export const httpAddress: FieldCheck = (value, label) => {
  const problem = text(2048)(value, label);
  if (problem !== null) {
    return problem;
  }
  const url = URL.canParse(value as string) ? new URL(value as string) : null;
  return url !== null && /^https?:\/\/\S+$/i.test(value as string)
    ? null
    : `The ${label} must be an absolute http or https address.`;
};

/** A list of at most `max` different values; failures carry the index. */
export function listOf(
  check: FieldCheck,
  entryLabel: string,
  max: number,
  key: (value: unknown) => unknown,
): FieldCheck {
  return (value, label) => {
    if (!Array.isArray(value)) {
      return `The ${label} must be a list.`;
    }
    if (value.length > max) {
      return `The ${label} may have at most ${max} entries.`;
    }
    const failures: Failure[] = [];
    const seen = new Set<unknown>();
    value.forEach((entry: unknown, index) => {
      const found = check(entry, entryLabel);
      if (typeof found === 'string') {
        failures.push({ path: String(index), message: found });
      } else if (seen.has(key(entry))) {
        failures.push({ path: String(index), message: `The ${entryLabel} is listed twice.` });
      }
      seen.add(key(entry));
    });
    return failures.length > 0 ? failures : null;
  };
}
