import { changeTexts, createText, readTexts } from '../common/openapi/resource-texts';

const GOAL = { id: 'Goal', one: 'a goal', many: 'the goals of a project' };

/** What the reference says about goals. */
export const GOAL_TEXTS = {
  ...readTexts(
    GOAL,
    `A goal is something that visitors do: an event that is sent with its \`api_name\`, the view of a page, or a click. Attach
it to experiments through their \`goals\`, of which the first is the primary one.`,
  ),
  create: createText(
    GOAL,
    `Makes a goal that experiments can then be given. A \`pageview\` goal needs \`page_id\`, a \`click\` goal needs \`selector\`,
and only \`custom\` goals can have values. Events count from the first one, whether or not the goal is attached yet.`,
  ),
  ...changeTexts(GOAL, {
    update: `\`type\` and \`value_type\` cannot change once the goal has conversions. Figures of results follow a changed
\`direction\` at once.`,
    remove: `It is detached from experiments, and its data is kept. Refused with 422, which names them, while a running or
previewed experiment uses it.`,
  }),
};
