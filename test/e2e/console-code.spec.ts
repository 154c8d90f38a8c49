import { documentOf, textOf, textsOf, useConsole } from '../support/console';
import type { Made } from '../support/scene';
import { Visitor } from '../support/visitor';

/* The page that shows the code of an experiment and its variations. */

const SCRIPT = '// <b>Title</b> & more\nconst text = "</script><img src=x>";\n\nthrow text;';
const STYLE = 'main > h1::after { content: "</style>"; }';

const stage = useConsole();
let admin: Visitor;
let experiment: Made;

beforeAll(async () => {
  admin = await stage.admin();
  experiment = await stage.make.experiment({
    name: 'With code',
    js: SCRIPT,
    reset_js: 'undo();',
    variations: [{ name: 'Original' }, { name: 'Green <i>' }],
  });
  const [, green] = experiment.variations as { id: number }[];
  const code = { js: 'document.title = `شراء ${1}`;', css: STYLE };
  expect((await stage.client.patch(`${experiment.path}/variations/${green.id}`, code)).status).toBe(200);
});

const listingsOf = (section: Element): (string | null)[] =>
  [...section.querySelectorAll('.listing')].flatMap((listing) => [
    textOf(listing.querySelector('h3')),
    listing.querySelector('pre')!.textContent,
  ]);

it('the code page is linked from the code sizes in the settings', async () => {
  const page = await documentOf(admin, experiment.path);
  const links = [...page.querySelectorAll(`a[href^="${experiment.path}/code"]`)];
  const [, green] = experiment.variations as { id: number }[];
  expect(links.map((link) => [textOf(link), link.getAttribute('href')])).toEqual([
    ['JavaScript 33 bytes, CSS 41 bytes', `${experiment.path}/code#variation-${green.id}`],
    ['JavaScript 72 bytes, reset JavaScript 7 bytes', `${experiment.path}/code#experiment`],
  ]);
});

it('the code page shows all code exactly as stored, line by line', async () => {
  const document = await documentOf(admin, `${experiment.path}/code`);
  expect(textsOf(document, 'main h2')).toEqual(['Experiment', 'Original', 'Green <i>']);
  const [own, original, green] = [...document.querySelectorAll('main section')];
  expect(listingsOf(own)).toEqual(['JavaScript', `${SCRIPT}\n`, 'Reset JavaScript', 'undo();\n']);
  expect(own.querySelectorAll('.listing:first-of-type .line')).toHaveLength(4);
  expect([listingsOf(original), textOf(original.querySelector('p'))]).toEqual([[], 'No code.']);
  expect(listingsOf(green)).toEqual(['JavaScript', 'document.title = `شراء ${1}`;\n', 'CSS', `${STYLE}\n`]);
});

it('the code page highlights scripts, and escapes code', async () => {
  const { text } = await admin.get(`${experiment.path}/code`);
  const document = await documentOf(admin, `${experiment.path}/code`);
  expect(textsOf(document, '#experiment .code-keyword')).toEqual(['const', 'throw']);
  expect(textsOf(document, '#experiment .code-string')).toEqual(['"</script><img src=x>"']);
  expect(textsOf(document, '#experiment .code-comment')).toEqual(['// <b>Title</b> & more']);
  expect(document.querySelectorAll('main img, main b, main style, main script')).toHaveLength(0);
  expect(text).not.toMatch(/<img|<b>|<i>/);
});

it('the code page is 404 for members of other teams, and for deleted experiments', async () => {
  const visitor = await stage.visitorOf(stage.world.outsider);
  const refused = await visitor.get(`${experiment.path}/code`);
  expect([refused.status, refused.text.includes('Title')]).toEqual([404, false]);
  expect(
    (await (await stage.visitorOf(stage.world.people.viewer)).get(`${experiment.path}/code`)).status,
  ).toBe(200);
  const deleted = await stage.make.experiment({ name: 'Deleted', js: SCRIPT });
  await stage.client.delete(deleted.path);
  expect((await admin.get(`${deleted.path}/code`)).status).toBe(404);
});
