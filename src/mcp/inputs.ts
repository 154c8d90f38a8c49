import { z } from 'zod';

/*
 * What the arguments of several tools have in common. Lengths, formats and rules of what goes into bodies are checked by
 * the API; what goes into addresses and headers is checked here, because not all of it could be sent.
 */

/** As long as names may be; what goes into addresses is written to the log. */
const MAX_TEXT = 255;

/** A text that goes into an address. */
export const shortText = z.string().trim().min(1).max(MAX_TEXT);

const id = (from: string) => z.int().positive().describe(from);

export const teamId = { team_id: id('Id of the team, from list_teams.') };

export const projectId = { project_id: id('Id of the project, from list_projects.') };

export const experimentId = {
  ...projectId,
  experiment_id: id('Id of the experiment, from list_experiments.'),
};

export const variationId = {
  ...experimentId,
  variation_id: id('Id of the variation, from get_experiment.'),
};

/** The path of an experiment below `/api`. */
export const experimentPath = (args: { project_id: number; experiment_id: number }): string =>
  `/projects/${args.project_id}/experiments/${args.experiment_id}`;

/** The path of a variation below `/api`. */
export const variationPath = (
  args: Parameters<typeof experimentPath>[0] & { variation_id: number },
): string => `${experimentPath(args)}/variations/${args.variation_id}`;

/** As answers show it; `*` and lists would let a change pass whatever the record has become. */
const etag = z
  .string()
  .regex(
    /^(?:W\/)?"[\w.-]{1,128}"$/,
    'Must be one if_match, exactly as an answer has shown it, with its quotes.',
  );

const IF_MATCH = "The record's if_match, from the last answer that showed it to you.";

/** For changes that would otherwise overwrite what somebody else has done in the meantime. */
export const ifMatch = {
  if_match: etag.describe(`${IF_MATCH} The change is refused if somebody has changed it since.`),
};

export const optionalIfMatch = {
  if_match: etag
    .optional()
    .describe(`${IF_MATCH} When given, nothing happens if somebody has changed the record since.`),
};

export const idempotencyKey = {
  idempotency_key: z
    .string()
    .max(255)
    .regex(
      /^[!-~](?:[ -~]*[!-~])?$/,
      'Must be 1 to 255 printable ASCII characters, without blanks around them.',
    )
    .optional()
    .describe(
      'Printable ASCII characters of your choice, another one for each thing you make. Give it when you may have to repeat a call whose answer got lost: with the same key and arguments it is made once, for 24 hours.',
    ),
};

/** A choice whose values are the keys of a record that says what they mean; the compiler keeps it complete. */
export function choice<T extends string>(meanings: Readonly<Record<T, string>>): z.ZodEnum<{ [K in T]: K }> {
  const names = Object.keys(meanings) as T[];
  const texts = names.map((name) => `${name}: ${meanings[name]}`);
  return z.enum(names).describe(`${texts.join('; ')}.`);
}
