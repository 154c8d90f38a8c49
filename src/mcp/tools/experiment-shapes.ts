import { z } from 'zod';
import { STATUSES } from '../../experiments/experiment-status';

/* How tools show experiments and variations. Code may be long, so it is left out where nobody asked for it. */

const code = z.string().nullable().optional();
const attached = z.array(z.object({ id: z.int(), name: z.string() }));
const codeCharacters = z.record(z.string(), z.int()).describe('Length of each piece of code that there is.');

const variation = z.object({
  id: z.int(),
  name: z.string(),
  api_name: z.string(),
  description: z.string().nullable(),
  is_original: z.boolean().describe('What the other variations are compared with.'),
  traffic_allocation: z
    .number()
    .nullable()
    .describe('Percent of the participants; null = an equal part of what the others leave.'),
  preview_url: z
    .string()
    .nullable()
    .describe('Shows the variation to whoever opens it, without being counted.'),
  js: code,
  css: code,
});

const experiment = z.object({
  id: z.int(),
  project_id: z.int(),
  name: z.string(),
  api_name: z.string(),
  status: z.enum(STATUSES),
  description: z.string().nullable(),
  example_url: z.string().nullable(),
  traffic_allocation: z.number().describe('Percent of eligible visitors who take part.'),
  audiences_match_type: z.string(),
  tags: z.array(z.string()),
  js: code,
  reset_js: code,
  css: code,
  audiences: attached,
  pages: attached,
  goals: z.array(z.object({ id: z.int(), name: z.string(), api_name: z.string(), type: z.string() })),
  environments: attached,
  started_at: z.string().nullable(),
  paused_at: z.string().nullable(),
  archived_at: z.string().nullable(),
  updated_at: z.string(),
});

/** What a record of the API holds. */
const received = {
  variation: variation.required({ js: true, css: true }),
  experiment: experiment.required({ js: true, reset_js: true, css: true }),
};
const receivedExperiment = received.experiment.extend({ variations: z.array(received.variation) });

const shownVariation = variation.extend({ code_characters: codeCharacters });
const shownExperiment = experiment.extend({
  variations: z.array(shownVariation),
  code_characters: codeCharacters,
});

const tag = z.string().describe('Pass it as if_match to change exactly this.');

export const experimentOutput = z.object({ experiment: shownExperiment, if_match: tag });
export const variationOutput = z.object({ variation: shownVariation, if_match: tag });

/** What matters of an experiment after a change of its status. */
const standing = experiment.pick({ id: true, name: true, status: true, started_at: true, paused_at: true });

export const standingOutput = z.object({ experiment: standing, if_match: tag });

/** A short form, for lists. */
export const listedExperiment = experiment
  .pick({
    id: true,
    name: true,
    api_name: true,
    status: true,
    tags: true,
    traffic_allocation: true,
    started_at: true,
    updated_at: true,
  })
  .extend({ variations: z.array(variation.pick({ id: true, name: true, is_original: true })) });

/** The fields of the API that the short form is made of. */
export const LISTED_FIELDS = Object.keys(listedExperiment.shape);

interface Answer {
  body: unknown;
  headers: Readonly<Record<string, string | undefined>>;
}

/** What a tool shows of an experiment that the API has answered with. */
export function showExperiment(
  { body, headers }: Answer,
  withCode = false,
): z.output<typeof experimentOutput> {
  const { js, reset_js, css, variations, ...rest } = receivedExperiment.parse(body);
  return {
    experiment: {
      ...rest,
      ...codeParts({ js, reset_js, css }, withCode),
      variations: variations.map((each) => withoutCode(each, withCode)),
    },
    if_match: headers.etag ?? '',
  };
}

/** What a tool shows of an experiment whose status the API has changed. */
export const showStanding = ({ body, headers }: Answer): z.output<typeof standingOutput> => ({
  experiment: standing.parse(body),
  if_match: headers.etag ?? '',
});

/** What a tool shows of a variation that the API has answered with. */
export function showVariation({ body, headers }: Answer, withCode = false): z.output<typeof variationOutput> {
  return {
    variation: withoutCode(received.variation.parse(body), withCode),
    if_match: headers.etag ?? '',
  };
}

function withoutCode({ js, css, ...rest }: z.output<typeof received.variation>, withCode: boolean) {
  return { ...rest, ...codeParts({ js, css }, withCode) };
}

function codeParts<K extends string>(parts: Record<K, string | null | undefined>, withCode: boolean) {
  const lengths = Object.entries<string | null | undefined>(parts).flatMap(([name, text]) =>
    text ? [[name, text.length] as const] : [],
  );
  return { ...(withCode ? parts : {}), code_characters: Object.fromEntries(lengths) };
}
