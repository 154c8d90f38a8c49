import { parseHTML } from 'linkedom';
import {
  documentOf,
  pressStep,
  submitForm,
  submitPage,
  textOf,
  textsOf,
  useConsole,
} from '../support/console';
import type { Made } from '../support/scene';
import { hiddenFields, signedIn, Visitor } from '../support/visitor';

/* The buttons on an experiment page. */

const stage = useConsole();
let admin: Visitor;
beforeAll(async () => {
  admin = await stage.admin();
});

const recordOf = async ({ path }: { path: string }): Promise<Made> =>
  (await stage.client.get(path)).body as Made;

const stepsOf = (document: Document): Element[] => [...document.querySelectorAll('.step')];

const linksOf = (document: Document): string[] => textsOf(document, '.masthead .action-links a');

describe('the next step', () => {
  it('is a button until the experiment runs', async () => {
    const maker = await stage.project('Clicked');
    const { path } = await maker.experiment({ variations: [{ name: 'Original' }, { name: 'Variation' }] });
    const visitor = await stage.visitorOf(stage.world.people.publisher);
    const walked: string[] = [];
    for (let step = 0; step < 6; step += 1) {
      const [first] = stepsOf(await documentOf(visitor, path));
      const answer = await pressStep(visitor, first);
      expect([answer.status, answer.location]).toEqual([303, expect.stringContaining(`${path}?notice=`)]);
      const next = await documentOf(visitor, answer.location!);
      walked.push(`${textOf(first.querySelector('h3'))} > ${textOf(next.querySelector('.message'))}`);
      if (stepsOf(next).length === 0) {
        walked.push('Nothing is left to do.');
        await submitPage(visitor, `${path}/status?to=pause`);
      }
    }
    expect(walked).toEqual([
      'The experiment needs at least one page. > Saved.',
      'The experiment needs at least one page. > Saved.',
      'The experiment needs at least one goal. > Saved.',
      'The experiment needs at least one goal. > Saved.',
      'Start > The experiment is running.',
      'Nothing is left to do.',
      'Resume > The experiment is running.',
      'Nothing is left to do.',
    ]);
    expect((await recordOf({ path })).status).toBe('pause');
  });

  it('attaches no goal other than the one that the page named', async () => {
    const maker = await stage.project('Named');
    const { path } = await maker.experiment({
      variations: [{ name: 'Original' }, { name: 'Variation' }],
      pages: [(await maker.page()).id],
    });
    const [named, other] = [
      await maker.goal({ name: 'Orders placed' }),
      await maker.goal({ name: 'Sign-ups' }),
    ];
    const [step] = stepsOf(await documentOf(admin, path));
    expect(textOf(step)).toContain('Orders placed');
    await stage.client.delete(named.path);
    const stale = await pressStep(admin, step);
    expect([stale.status, stale.text.includes('Sign-ups')]).toEqual([412, true]);
    expect((await recordOf({ path })).goals).toEqual([]);
    const form = parseHTML(stale.text).document.querySelector('main form');
    expect((await submitForm(admin, form)).status).toBe(303);
    expect((await recordOf({ path })).goals).toMatchObject([{ id: other.id }]);
  });

  it('takes effect once if its button is pressed twice', async () => {
    const maker = await stage.project('Twice');
    const { path } = await maker.experiment({ variations: [{ name: 'Only' }] });
    const [step] = stepsOf(await documentOf(admin, path));
    const answers = [await pressStep(admin, step), await pressStep(admin, step)];
    expect(answers.map(({ status, location }) => [status, location])).toEqual([
      [303, `${path}?notice=saved`],
      [303, `${path}?notice=saved`],
    ]);
    expect((await stage.client.get(`${maker.project}/pages`)).body).toHaveLength(1);
    expect((await recordOf({ path })).pages).toEqual([]);
  });

  it('publishes edits to a running experiment', async () => {
    const experiment = await stage.make.withStatus('running');
    await stage.client.patch(experiment.path, { css: 'a { color: red }' });
    const [publish] = stepsOf(await documentOf(admin, experiment.path));
    expect(textOf(publish.querySelector('h3'))).toBe('Publish the changes');
    const { location } = await pressStep(admin, publish);
    expect(location).toBe(`${experiment.path}?notice=published`);
    const titles = textsOf(await documentOf(admin, experiment.path), '.step h3');
    expect(titles).toEqual([]);
  });
});

describe('a status change', () => {
  it('that affects visitors asks for confirmation, and explains the effect', async () => {
    const experiment = await stage.make.withStatus('running', { name: 'Asked' });
    const page = await documentOf(admin, `${experiment.path}/status?to=pause`);
    expect([textOf(page.querySelector('h1')), (await recordOf(experiment)).status]).toEqual([
      'Pause?',
      'running',
    ]);
    expect(textOf(page.querySelector('main form'))).toContain(
      'New page views show the original within two minutes.',
    );
    expect(textOf(page.querySelector('main form strong'))).toBe('Asked');
    expect(page.querySelector('main form .link-button')?.getAttribute('href')).toBe(experiment.path);
  });

  it('can stop an experiment despite a concurrent edit, even if two users do so', async () => {
    const experiment = await stage.make.withStatus('running');
    const address = `${experiment.path}/status?to=pause`;
    const [form, other] = [await documentOf(admin, address), await documentOf(admin, address)].map(
      (document) => document.querySelector('main form'),
    );
    await stage.client.patch(experiment.path, { description: 'Edited meanwhile' });
    expect((await submitForm(admin, form)).status).toBe(303);
    expect((await submitForm(admin, other)).status).toBe(303);
    expect((await recordOf(experiment)).status).toBe('pause');
  });

  it('tells the second of two users that the experiment is already running', async () => {
    const shop = await stage.project('Two users');
    const experiment = await shop.ready();
    const address = `${experiment.path}/status?to=running`;
    const forms = [await documentOf(admin, address), await documentOf(admin, address)];
    for (const document of forms) {
      const { location } = await submitForm(admin, document.querySelector('main form'));
      expect(location).toBe(`${experiment.path}?notice=started`);
    }
    expect((await stage.client.get(`${shop.project}/publications`)).body).toHaveLength(1);
  });

  it('does not restore an experiment that was archived while the page was open', async () => {
    const experiment = await stage.make.withStatus('running');
    const opened = await documentOf(admin, `${experiment.path}/status?to=pause`);
    await stage.make.move(experiment, 'archive');
    const { status, text } = await submitForm(admin, opened.querySelector('main form'));
    expect([status, textOf(parseHTML(text).document.querySelector('h1'))]).toEqual([412, 'Restore?']);
    expect((await recordOf(experiment)).status).toBe('archive');
  });

  it('is offered if and only if the API allows it', async () => {
    const offered: Record<string, string[]> = {};
    for (const status of ['draft', 'preview', 'running', 'pause', 'archive']) {
      const experiment = await stage.make.withStatus(status);
      const document = await documentOf(admin, experiment.path);
      offered[status] = [...textsOf(document, '.step h3'), ...linksOf(document)];
    }
    expect(offered).toEqual({
      draft: ['Start', 'Preview', 'Edit', 'Schedule', 'Clone', 'Archive', 'Delete'],
      preview: ['Start', 'Back to draft', 'Edit', 'Schedule', 'Clone', 'Archive', 'Delete'],
      running: ['Edit', 'Record the decision', 'Schedule', 'Clone', 'Pause', 'Preview', 'Archive', 'Delete'],
      pause: ['Resume', 'Archive', 'Edit', 'Record the decision', 'Schedule', 'Clone', 'Preview', 'Delete'],
      archive: ['Back to draft', 'Edit', 'Clone', 'Delete'],
    });
  });

  it('back to draft says what it makes possible', async () => {
    const textOn = async ({ path }: Made): Promise<string> =>
      textOf(
        (await documentOf(admin, `${path}/status?to=draft`)).querySelector('main form')?.parentElement ??
          null,
      );
    const previewed = await stage.make.withStatus('preview');
    const [{ id }] = previewed.pages as Made[];
    const page = `${stage.world.project}/pages/${id}`;
    expect(await textOn(previewed)).toContain('Pages, audiences and goals that it uses can then be deleted.');
    expect((await stage.client.delete(page)).status).toBe(422);
    await stage.make.move(previewed, 'draft');
    expect((await stage.client.delete(page)).status).toBe(204);
    const archived = await stage.make.move(await stage.make.ready(), 'archive');
    expect(await textOn(archived)).toContain('You can then change the experiment.');
  });

  it('to running warns if no variation has code', async () => {
    const hint = /No variation has code/;
    const bare = await stage.make.ready();
    const start = async (): Promise<string> => (await admin.get(`${bare.path}/status?to=running`)).text;
    expect(await start()).toMatch(hint);
    await stage.client.patch(`${bare.path}/variations/${bare.variations[1].id}`, {
      css: 'h1 { color: red; }',
    });
    expect(await start()).not.toMatch(hint);
  });

  it('that has become impossible is rejected with the reason', async () => {
    const experiment = await stage.make.ready();
    const document = await documentOf(admin, `${experiment.path}/status?to=running`);
    await stage.client.patch(experiment.path, { goals: [] });
    const stale = await submitForm(admin, document.querySelector('main form'));
    expect(stale.status).toBe(412);
    const again = await submitForm(admin, parseHTML(stale.text).document.querySelector('main form'));
    const problems = textsOf(parseHTML(again.text).document, '[role="alert"] li');
    expect([again.status, problems]).toEqual([422, ['The experiment needs at least one goal.']]);
    expect((await admin.get(`${experiment.path}/status?to=nonsense`)).status).toBe(404);
    const { status } = experiment;
    const reached = await admin.get(`${experiment.path}/status?to=${status}`);
    expect([reached.status, reached.location]).toEqual([303, experiment.path]);
    expect((await admin.get(`${experiment.path}/status`)).location).toBe(experiment.path);
  });
});

describe('deleting', () => {
  it('asks for confirmation, and moves the experiment to the trash', async () => {
    const experiment = await stage.make.withStatus('running', { name: 'Unwanted' });
    const document = await documentOf(admin, `${experiment.path}/delete`);
    expect(textOf(document.querySelector('main form'))).toContain(
      'The experiment is running. New page views show the original within two minutes.',
    );
    const fields = hiddenFields((await admin.get(`${experiment.path}/delete`)).text);
    const answers = [
      await admin.post(`${experiment.path}/delete`, fields),
      await admin.post(`${experiment.path}/delete`, fields),
    ];
    expect(answers.map(({ status, location }) => [status, location])).toEqual([
      [303, `${stage.make.project}?notice=deleted`],
      [303, `${stage.make.project}?notice=deleted`],
    ]);
    const page = await documentOf(admin, `${stage.make.project}?notice=deleted`);
    expect(textOf(page.querySelector('.message'))).toMatch(/^The experiment is in the trash\./);
    expect([
      (await admin.get(experiment.path)).status,
      (await admin.get(`${experiment.path}/delete`)).status,
    ]).toEqual([404, 404]);
  });

  it('is offered to editors unless the experiment runs', async () => {
    const { visitor, person } = await signedIn(stage.api);
    await stage.api.join(stage.world.teamId, person, 'editor');
    const [draft, running] = [await stage.make.ready(), await stage.make.withStatus('running')];
    expect(linksOf(await documentOf(visitor, draft.path))).toEqual(['Edit', 'Clone', 'Delete']);
    expect(linksOf(await documentOf(visitor, running.path))).toEqual([
      'Edit',
      'Record the decision',
      'Clone',
    ]);
    const { status, text } = await visitor.get(`${running.path}/delete`);
    expect([status, text.includes('Only publishers and admins can do this.')]).toEqual([403, true]);
    const viewer = await stage.visitorOf(stage.world.people.viewer);
    expect(linksOf(await documentOf(viewer, draft.path))).toEqual([]);
  });
});
