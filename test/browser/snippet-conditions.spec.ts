import { describeInBrowser } from '../support/browser';
import { forEveryone, LiveProject, LiveSite } from '../support/live-site';
import { BLACK, colour, RED } from '../support/snippet-site';

/* Conditions in JavaScript, from the definition to the pages that visitors see. */

const RED_VARIATION = forEveryone({ css: `h1 { color: ${RED}; }` });

const TRUE_AND_FALSE: [code: string, expected: string][] = [
  ['() => true', RED],
  ['() => false', BLACK],
  ['(() => this === window) // same this', RED],
  ['(function () { return this !== window; })', BLACK],
  ['function () { return true; }', RED],
  ['function isHere() {\n  return false;\n}\n', BLACK],
  ['(() => false)()', BLACK],
  ["location.hostname === 'localhost'", RED],
  ["location.hostname === 'localhost';", RED],
  ['() => true; // why', RED],
  ['(() => false);', BLACK],
  ['return false;', BLACK],
];

describeInBrowser('conditions in JavaScript', () => {
  let site: LiveSite;
  let project: LiveProject;

  beforeAll(async () => {
    site = await LiveSite.start();
  });
  beforeEach(async () => {
    project = await site.project();
  });
  afterEach(() => site.everybodyLeaves());
  afterAll(() => site.stop());

  /** The colour that visitors of an experiment with a red variation for everyone see. */
  async function seen(fields: object): Promise<string> {
    await project.make.move(await project.make.ready({ ...RED_VARIATION, ...fields }), 'running');
    const { page } = await site.visit(project, '/tea');
    await page.waitForFunction('window.gosset?.getVisitorId?.()');
    return colour(page);
  }

  it.each(TRUE_AND_FALSE)('as an audience, treats %j as %s', async (value, expected) => {
    const { id } = await project.make.audience({ conditions: { type: 'javascript', value } });
    expect(await seen({ audiences: [id] })).toBe(expected);
  });

  it('excludes everyone from an async function that an earlier release stored, even under not', async () => {
    const { id } = await project.make.audience({
      conditions: ['not', { type: 'javascript', value: '() => false' }],
    });
    await site.api.database.transaction((tx) =>
      tx.query(`UPDATE audiences SET conditions = REPLACE(conditions, '() =>', 'async () =>') WHERE id = ?`, [
        id,
      ]),
    );
    expect(await seen({ audiences: [id] })).toBe(BLACK);
  });

  it.each([...TRUE_AND_FALSE, ['', RED], [' \n', RED]])(
    'as an environment, treats %j as %s',
    async (code, expected) => {
      const { id } = await project.make.environment({ name: 'Test', code });
      expect(await seen({ environments: [id] })).toBe(expected);
    },
  );
});
