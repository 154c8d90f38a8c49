import { z } from 'zod';

/* What the arguments of several tools have in common. Lengths, formats and rules are checked by the API. */

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

const IF_MATCH = "The record's if_match, from the last answer that showed it to you.";

/** For changes that would otherwise overwrite what somebody else has done in the meantime. */
export const ifMatch = {
  if_match: z.string().min(1).describe(`${IF_MATCH} The change is refused if somebody has changed it since.`),
};

export const optionalIfMatch = {
  if_match: z
    .string()
    .min(1)
    .optional()
    .describe(`${IF_MATCH} When given, nothing happens if somebody has changed the record since.`),
};

export const idempotencyKey = {
  idempotency_key: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe(
      'Any text of your choice, another one for each thing you make. Give it when you may have to repeat a call whose answer got lost: with the same key and arguments it is made once, for 24 hours.',
    ),
};

/** A choice whose values are the keys of a record that says what they mean; the compiler keeps it complete. */
export function choice<T extends string>(meanings: Readonly<Record<T, string>>): z.ZodEnum<{ [K in T]: K }> {
  const names = Object.keys(meanings) as T[];
  const texts = names.map((name) => `${name}: ${meanings[name]}`);
  return z.enum(names).describe(`${texts.join('; ')}.`);
}
