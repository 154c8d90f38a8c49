import { isDeepStrictEqual } from 'node:util';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import type { Failure } from '../common/errors/api-errors';
import { integer, oneOf, text } from '../common/validation/checks';
import { isObject, MAX_ID } from '../common/validation/values';
import { type Failures, MAX_HINTS, unknownField } from '../common/validation/failures';
import { Field, FieldCheck, labelOf, Output, runCheck } from '../common/validation/fields';
import { MAX_DESCRIPTION } from '../common/validation/record-fields';
import { DECISION_OUTCOMES, type DecisionOutcome } from './experiment-descriptions';

/** The decision about an experiment, in the form used in records and in the database. */
export interface Decision {
  outcome: DecisionOutcome;
  /** Null if the decision does not concern a particular variation. */
  variation_id: number | null;
  note: string | null;
  decided_at: string;
  /** The user who decided, with the name at that time. */
  decided_by: { id: number; name: string };
}

/** A decision in a request. `decided_at` and `decided_by` are read-only. */
export type SentDecision = Pick<Decision, 'outcome'> & Partial<Decision>;

const DECISION =
  'The decision: `ship` a variation, `revert` to the original, `inconclusive`, or `invalid` (the data cannot be used). Null until a decision is made. It does not affect the status or delivery.';
const VARIATION =
  'The variation to ship or, with any other outcome, the variation that the decision is about. It must belong to this experiment. Required for `ship`.';
const NOTE = 'Reasons for the decision, up to 10,000 characters.';

const WRITABLE = {
  outcome: { type: 'string', enum: [...DECISION_OUTCOMES], description: 'The outcome.' },
  variation_id: { type: 'integer', minimum: 1, nullable: true, description: VARIATION },
  note: { type: 'string', maxLength: MAX_DESCRIPTION, nullable: true, description: NOTE },
} as const;

const SHOWN = {
  ...WRITABLE,
  decided_at: { type: 'string', format: 'date-time', description: 'Time of the decision.' },
  decided_by: {
    type: 'object',
    properties: {
      id: { type: 'integer', minimum: 1, description: 'Id of the user.' },
      name: { type: 'string', description: "The user's name at the time of the decision." },
    },
    required: ['id', 'name'],
    description: 'The user who decided.',
  },
} as const;

const schemaOf = (properties: object, required: readonly string[], description: string): ApiPropertyOptions =>
  ({ type: 'object', properties, required, nullable: true, description }) as ApiPropertyOptions;

const CHECKS: Readonly<Record<string, FieldCheck>> = {
  outcome: oneOf(DECISION_OUTCOMES),
  variation_id: integer(1, MAX_ID),
  note: text(MAX_DESCRIPTION),
};
const READ_ONLY: readonly (keyof Decision)[] = ['decided_at', 'decided_by'];
const KNOWN = Object.keys(SHOWN);

const required = (field: string): Failure => ({
  path: field,
  message: `The ${labelOf(field)} field is required.`,
});

function checkDecision(value: unknown): string | Failure[] | null {
  if (!isObject(value)) {
    return 'The decision must be an object or null.';
  }
  const unknown = Object.keys(value)
    .filter((field) => !KNOWN.includes(field))
    .slice(0, MAX_HINTS)
    .map((path) => ({ path: path.slice(0, 100), message: unknownField(path, KNOWN) }));
  const wrong = Object.entries(CHECKS)
    .filter(([field]) => value[field] !== undefined && value[field] !== null)
    .flatMap(([field, check]) =>
      runCheck(check, field, value[field]).map(({ message }) => ({ path: field, message })),
    );
  const hasOutcome = value.outcome !== undefined && value.outcome !== null;
  const lacksVariation = value.outcome === 'ship' && (value.variation_id ?? null) === null;
  const failures = [
    ...unknown,
    ...wrong,
    ...(hasOutcome ? [] : [required('outcome')]),
    ...(lacksVariation
      ? [{ path: 'variation_id', message: 'The variation id field is required to ship a variation.' }]
      : []),
  ];
  return failures.length > 0 ? failures : null;
}

/** The decision in a request body. It replaces the entire stored decision. */
export const DecisionField = (): PropertyDecorator =>
  Field(
    checkDecision,
    schemaOf(
      WRITABLE,
      ['outcome'],
      `${DECISION} Replaced as a whole; null removes it. Can also be set on archived experiments. The server adds \`decided_at\` and \`decided_by\`.`,
    ),
    { nullable: true },
  );

/** The decision in a record. */
export const DecisionOutput = (options: { required?: boolean } = {}): PropertyDecorator =>
  Output(schemaOf(SHOWN, KNOWN, DECISION), options);

/** Adds failures if the variation belongs to a different experiment, or if read-only fields differ. */
export function checkDecisionChange(
  current: Decision | null,
  sent: SentDecision | null | undefined,
  variations: readonly { id: number }[],
  failures: Failures,
): void {
  for (const field of READ_ONLY) {
    if (sent?.[field] !== undefined && !isDeepStrictEqual(sent[field], current?.[field] ?? null)) {
      failures.add(`decision.${field}`, `The ${field} field is read-only.`);
    }
  }
  const variation = sent?.variation_id ?? null;
  if (variation !== null && !variations.some(({ id }) => id === variation)) {
    const known = variations.map(({ id }) => id).join(', ');
    failures.add(
      'decision.variation_id',
      `The experiment has no variation ${variation}. ${known === '' ? 'It has no variations.' : `Its variations are: ${known}.`}`,
    );
  }
}

/** The decision as it was sent, without the fields that the server adds. */
function decided({ outcome, variation_id = null, note = null }: SentDecision) {
  return { outcome, variation_id, note };
}

/** Whether a request changes the decision. */
export function changesDecision(current: Decision | null, sent: SentDecision | null | undefined): boolean {
  if (sent === undefined || sent === null || current === null) {
    return sent !== undefined && sent !== current;
  }
  return !isDeepStrictEqual(decided(sent), decided(current));
}

/** The decision in a request, with the time and the user added. */
export const newDecision = (
  sent: SentDecision | null,
  by: Pick<Decision, 'decided_at' | 'decided_by'>,
): Decision | null => (sent === null ? null : { ...decided(sent), ...by });
