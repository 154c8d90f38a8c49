/*
 * The bounds, choices and descriptions of experiment fields, shared by requests and responses. This file imports nothing,
 * because the MCP program needs the outcomes but does not include the application.
 */

/** Percent. */
export const MAX_EFFECT = 1_000;
export const MIN_EXCLUSION_SHARE = 0.01;
export const MAX_PLANNED = 1_000_000_000;

export const EXAMPLE_URL = 'URL of a page on which the experiment runs. Preview links open this page.';
export const HYPOTHESIS =
  'The expected outcome, and why. Free text, up to 10,000 characters. Can be changed even after archiving.';
export const SHARED =
  'Whether the share link works. If false, its pages and images return 404. The link is in `results/info`.';
export const TRAFFIC = 'Percentage of eligible visitors who take part, 0 to 100.';
export const EXCLUSION_GROUP =
  'A visitor takes part in at most one experiment of a group. Fixed while the experiment runs.';
export const EXCLUSION_SHARE =
  "Percentage of the group's visitors; the shares of its started experiments add up to at most 100. Fixed while the experiment runs.";
export const MATCH_TYPE = 'Whether a visitor must match `any` audience or `all` of them.';
export const TAGS = 'Tags for grouping and filtering.';
export const JS = 'Script that runs before the script of the variation.';
export const RESET_JS =
  'Script that reverts the changes. It runs when the visitor leaves the page within a single-page application.';
export const CSS = 'Styles for all variations.';
export const MINIMUM_EFFECT = 'Smallest relative effect worth detecting, in percent.';
export const GUARDRAIL_ACTION = 'Whether a guardrail that gets worse pauses the experiment.';
export const PLANNED_PARTICIPANTS =
  'Planned total sample size of all variations. Fixed at the first start. The method `planned` requires it.';
export const PLANNED_END =
  'Planned last day (UTC). With the method `planned`, at least `min_runtime_days` after the start day, or there is no verdict. Fixed at the first start.';
export const STARTS_AT = 'When to start the experiment.';
export const ENDS_AT = 'When to archive the experiment.';

/** The outcomes of a decision. */
export const DECISION_OUTCOMES = ['ship', 'revert', 'inconclusive', 'invalid'] as const;

export type DecisionOutcome = (typeof DECISION_OUTCOMES)[number];
