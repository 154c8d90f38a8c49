import { isDeepStrictEqual } from 'node:util';
import { createParamDecorator, ExecutionContext } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { ValidationError as Invalid, validateSync } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import type { Failure } from '../errors/api-errors';
import { entriesOf } from './checks';
import { Failures, MAX_HINTS, unknownField } from './failures';
import { failuresOf, FieldCheck, inputFields, outputFields } from './fields';
import { isObject, isTooDeep, joinPath, MAX_DEPTH } from './values';

type Body = new () => object;

/**
 * A request body after validation: the valid fields that were sent, and all failures. Rules that need the database may
 * add further failures. If there are any failures, nothing is stored.
 */
export class Submission<T extends object> {
  constructor(
    readonly fields: Partial<T>,
    /** The failures of fields that can be written, by field. */
    private readonly invalid: ReadonlyMap<string, readonly Failure[]>,
    /** The failures of other fields, and of the whole body. */
    private readonly refused: readonly Failure[],
    private readonly readOnly: Readonly<Record<string, unknown>>,
    /** The sent values of all fields, including invalid ones, for rules that need to check them further. */
    readonly sent: Readonly<Record<string, unknown>>,
    /** The values of the fields as they are in the body, without conversions such as trimming. */
    private readonly unconverted: Readonly<Record<string, unknown>>,
  ) {}

  /** The names of all fields that were sent, except for unknown ones. */
  get names(): string[] {
    return Object.keys({ ...this.sent, ...this.readOnly });
  }

  /** A new collection that contains the failures of the validation. */
  failures(): Failures {
    return new Failures([...[...this.invalid.values()].flat(), ...this.refused]);
  }

  /**
   * The fields that an update changes. Fields with their current values count as absent, so clients can send the body of
   * a GET back in a PUT, even if an earlier release has stored values that are no longer accepted.
   * @param current the record in the form that responses show
   * @param failures the failures of this submission. Those of unchanged fields are removed, those of read-only fields are
   * added.
   */
  changesTo(current: Readonly<Record<string, unknown>>, failures: Failures): Partial<T> {
    this.checkReadOnly(current, failures);
    const isSame = (field: string): boolean =>
      Object.hasOwn(current, field) && isDeepStrictEqual(this.unconverted[field], current[field]);
    const same = Object.keys(this.unconverted).filter(isSame);
    failures.remove(same.flatMap((field) => this.invalid.get(field) ?? []));
    const changes = Object.entries(this.fields).filter(([field]) => !same.includes(field));
    return Object.fromEntries(changes) as Partial<T>;
  }

  /**
   * Read-only fields may be sent with their current values but not changed.
   * @param update for a new record, the body of updates if it has fields that this body lacks
   */
  checkReadOnly(current: Readonly<Record<string, unknown>>, failures: Failures, update?: Body): void {
    const later: readonly string[] = update === undefined ? [] : inputFields(update);
    for (const [field, sent] of Object.entries(this.readOnly)) {
      if (!isPartOf(sent, current[field])) {
        const reason = later.includes(field)
          ? 'cannot be set on creation. Change it afterwards.'
          : 'is read-only.';
        failures.add(field, `The ${field} field ${reason}`);
      }
    }
  }
}

/** Whether the sent value equals the record's value, or contains only some of its fields. */
function isPartOf(sent: unknown, current: unknown): boolean {
  if (Array.isArray(sent) && Array.isArray(current)) {
    return sent.length === current.length && sent.every((entry, index) => isPartOf(entry, current[index]));
  }
  if (isObject(sent) && isObject(current)) {
    return Object.entries(sent).every(
      ([key, value]) => Object.hasOwn(current, key) && isPartOf(value, current[key]),
    );
  }
  return isDeepStrictEqual(sent, current);
}

/**
 * Validates a body against a class whose fields are declared with `Field`.
 * @param shows the class of the record in responses; its other fields are read-only
 */
export function submit<T extends object>(
  input: new () => T,
  shows: Body | null,
  body: unknown,
): Submission<T> {
  const sent = body === undefined ? {} : body;
  if (!isObject(sent)) {
    const failure = { path: 'body', message: 'The body must be a JSON object.' };
    return new Submission<T>({}, new Map(), [failure], {}, {}, {});
  }
  const writable = inputFields(input);
  const shown = shows === null ? [] : outputFields(shows);
  const { known, readOnly, refused } = sort(sent, writable, shown);
  const instance = transform(input, known);
  // class-validator rejects classes without fields as unknown. A body of such a class accepts no fields.
  const found = validateSync(instance, { forbidUnknownValues: false, stopAtFirstError: true });
  // A value that is nested too deeply was not validated, but must not be reported as missing either.
  const checked = found.filter(({ property }) => !refused.some(({ path }) => path === property));
  const invalid = new Map(checked.map((error) => [error.property, flatten(error)]));
  const values = Object.entries(instance).filter(([, value]) => value !== undefined);
  const valid = Object.fromEntries(values.filter(([field]) => !invalid.has(field)));
  const converted = Object.fromEntries(values);
  return new Submission<T>(valid as Partial<T>, invalid, refused, readOnly, converted, known);
}

/**
 * Creates an instance of the class with its transformations. Values that contain objects are kept as sent, because
 * class-transformer would drop keys such as `toString`, which must be rejected.
 */
function transform<T extends object>(input: new () => T, known: Record<string, unknown>): T {
  const hasObjects = (value: unknown): boolean =>
    isObject(value) || (Array.isArray(value) && value.some(isNested));
  const isSimple = ([, value]: [string, unknown]): boolean => !hasObjects(value);
  const fields = Object.entries(known);
  const simple = plainToInstance(input, Object.fromEntries(fields.filter(isSimple)), {
    exposeDefaultValues: false,
  });
  return Object.assign(simple, Object.fromEntries(fields.filter((field) => !isSimple(field))));
}

const isNested = (value: unknown): boolean => typeof value === 'object' && value !== null;

interface Sorted {
  known: Record<string, unknown>;
  readOnly: Record<string, unknown>;
  /** Fields that are unknown or nested too deeply. */
  refused: Failure[];
}

function sort(sent: Record<string, unknown>, writable: readonly string[], shown: readonly string[]): Sorted {
  const sorted: Sorted = { known: {}, readOnly: {}, refused: [] };
  for (const [field, value] of Object.entries(sent)) {
    if (isTooDeep(value)) {
      sorted.refused.push({ path: field, message: `The value is nested deeper than ${MAX_DEPTH} levels.` });
    } else if (writable.includes(field)) {
      sorted.known[field] = value;
    } else if (shown.includes(field)) {
      sorted.readOnly[field] = value;
    } else {
      const hints = sorted.refused.length < MAX_HINTS ? writable : [];
      sorted.refused.push({ path: field, message: unknownField(field, hints) });
    }
  }
  return sorted;
}

/** The failures of a field, with paths relative to the body. */
const flatten = ({ target = {}, property }: Invalid): Failure[] =>
  failuresOf(target, property).map(({ path, message }) => ({ path: joinPath(property, path), message }));

/**
 * Checks a list whose entries are bodies of a different class. The paths of failures contain the index and the field.
 */
export function bodies(input: Body, shows: Body, max: number): FieldCheck {
  return (value, label) => {
    const entries = entriesOf(value, label, max);
    if (typeof entries === 'string') {
      return entries;
    }
    const failures = new Failures();
    entries.forEach((entry: unknown, index) => {
      if (!isObject(entry)) {
        failures.add(String(index), 'Each entry must be an object.');
        return;
      }
      const submission = submit(input, shows, entry);
      const found = submission.failures();
      submission.checkReadOnly({}, found);
      failures.addAll(String(index), found.all);
    });
    return failures.any ? [...failures.all] : null;
  };
}

/** Injects the request body, validated against a class: `@Submitted(CreateGoal, GoalRecord) submission`. */
export function Submitted(input: Body, shows: Body | null = null): ParameterDecorator {
  return createParamDecorator((_: unknown, context: ExecutionContext) => {
    return submit(input, shows, context.switchToHttp().getRequest<FastifyRequest>().body);
  })();
}
