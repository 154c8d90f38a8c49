import { z } from 'zod';
import type { PageMatch } from '../../pages/page-conditions';
import type { GoalRecord } from '../../goals/goal.record';
import type { PageRecord } from '../../pages/page.record';
import { choice, idempotencyKey, projectId } from '../inputs';
import { create, defineTool, Tool } from '../tool';
import { audience, goal, page } from './places';

/* What experiments are made of: goals, pages and audiences. */

const named = {
  name: z.string().describe('For people. Look whether there is one already before you make another.'),
  description: z.string().optional(),
};

interface Making<I extends z.ZodRawShape, R extends z.ZodObject> {
  kind: 'goal' | 'page' | 'audience';
  title: string;
  description: string;
  fields: I;
  record: R;
}

function maker<I extends z.ZodRawShape, R extends z.ZodObject>(making: Making<I, R>): Tool {
  const { kind, title, description, fields, record } = making;
  return defineTool({
    name: `create_${kind}`,
    title,
    description,
    effect: 'adds',
    input: z.strictObject({ ...projectId, ...named, ...fields, ...idempotencyKey }),
    output: z.object({ made: record }),
    run: async (args, call) => {
      const { project_id, idempotency_key, ...body } = args as Record<string, unknown>;
      const path = `/projects/${String(project_id)}/${kind}s`;
      const answer = await create(call, path, body, idempotency_key as string | undefined);
      const made = record.parse(answer.body);
      return {
        text: `Made the ${kind} ${JSON.stringify(made.name)} with id ${String(made.id)}.`,
        data: { made },
      };
    },
  });
}

const createGoal = maker({
  kind: 'goal',
  title: 'Make a goal',
  description:
    'Makes what an experiment is measured by. The type and value_type cannot be changed once it has conversions.',
  fields: {
    api_name: z.string().optional().describe('What its events are called; made from the name when left out.'),
    type: choice<GoalRecord['type']>({
      custom: 'an event that the site or its back end sends',
      pageview: 'a visit of the page page_id',
      click: 'a click on what selector names',
    }).default('custom'),
    selector: z.string().optional().describe('CSS selector; click goals need one.'),
    page_id: z.int().positive().optional().describe('From list_pages; pageview goals need one.'),
    value_type: choice<GoalRecord['value_type']>({
      none: 'conversions are counted',
      number: 'events carry a number',
      revenue: 'events carry an amount of money',
    }).default('none'),
    direction: choice<GoalRecord['direction']>({
      increase: 'more is better',
      decrease: 'less is better',
    }).default('increase'),
  },
  record: goal,
});

const condition = z.strictObject({
  match: choice<PageMatch>({
    simple: 'host and path without query are equal; a value that starts with / fits every host',
    exact: 'the whole address is equal',
    contains: 'the address contains it',
    starts_with: 'the address starts with it',
    ends_with: 'the address ends with it',
    regex: 'a regular expression fits the address',
  }).default('simple'),
  value: z.string(),
  negate: z.boolean().default(false).describe('The page must not match.'),
});

const createPage = maker({
  kind: 'page',
  title: 'Make a page',
  description:
    'Makes a place of the site where experiments may take place. It matches when one condition without negate does and none with it; without conditions every page of the site matches.',
  fields: {
    conditions: z.array(condition).optional(),
    activation: choice<PageRecord['activation']>({
      immediate: 'when the page is opened',
      manual: 'when the site says so',
      dom_change: 'also when elements appear',
      url_change: 'also when the address changes without a reload',
    }).default('immediate'),
  },
  record: page,
});

const createAudience = maker({
  kind: 'audience',
  title: 'Make an audience',
  description: [
    'Makes a group of visitors that experiments may be limited to. `conditions` is a tree: ["and" | "or" | "not", ...] over leaves {type, name, match, value}, or one leaf.',
    'Types: device (desktop, mobile, tablet), browser, os, language, visitor (new, returning), url, referrer, query, cookie, attribute (these three need a name), javascript.',
    'match is exact unless given; also in (a list), and for texts contains, starts_with, ends_with, regex, exists.',
    'For example ["and", {"type": "device", "value": "mobile"}, {"type": "language", "match": "starts_with", "value": "de"}].',
  ].join(' '),
  fields: {
    conditions: z
      .union([z.array(z.unknown()), z.record(z.string(), z.unknown())])
      .optional()
      .describe('Left out or empty = everyone.'),
  },
  record: audience,
});

export const makingTools: readonly Tool[] = [createGoal, createPage, createAudience];
