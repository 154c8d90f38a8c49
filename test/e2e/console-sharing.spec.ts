import { documentOf, submitForm, submitPage, textsOf, useConsole } from '../support/console';
import type { Made } from '../support/scene';
import type { Visitor } from '../support/visitor';

/* The share link forms of an experiment. */

const stage = useConsole();
let admin: Visitor;
beforeAll(async () => {
  admin = await stage.admin();
});

describe('the share link', () => {
  const shareOf = async (experiment: Made): Promise<{ url: string | null; status: number | null }> => {
    const url = textsOf(await documentOf(admin, experiment.path), '#share-url').at(0) ?? null;
    return { url, status: url === null ? null : (await admin.get(new URL(url).pathname)).status };
  };

  it('is turned off once if the form is submitted twice, and can be turned on again', async () => {
    const experiment = await stage.make.withStatus('archive');
    const before = await shareOf(experiment);
    expect(before.status).toBe(200);
    const form = (await documentOf(admin, `${experiment.path}/share`)).querySelector('main form');
    for (const { location } of [await submitForm(admin, form), await submitForm(admin, form)]) {
      expect(location).toBe(`${experiment.path}?notice=unshared`);
    }
    expect(await shareOf(experiment)).toEqual({ url: null, status: null });
    expect((await admin.get(new URL(before.url!).pathname)).status).toBe(404);
    const { location } = await submitPage(admin, `${experiment.path}/share`);
    expect(location).toBe(`${experiment.path}?notice=shared`);
    expect(await shareOf(experiment)).toEqual(before);
  });

  it('is replaced once if the form is submitted twice', async () => {
    const experiment = await stage.make.withStatus('running');
    const before = await shareOf(experiment);
    const form = (await documentOf(admin, `${experiment.path}/share/rotate`)).querySelector('main form');
    expect((await submitForm(admin, form)).status).toBe(303);
    const after = await shareOf(experiment);
    expect((await submitForm(admin, form)).status).toBe(303);
    expect(await shareOf(experiment)).toEqual(after);
    expect([after.status, after.url === before.url]).toEqual([200, false]);
    expect((await admin.get(new URL(before.url!).pathname)).status).toBe(404);
  });
});
