import { parseHTML } from 'linkedom';
import { documentOf, submitForm, submitPage, textsOf, useConsole } from '../support/console';
import { inHours } from '../support/schedules';
import type { Made } from '../support/scene';
import type { Visitor } from '../support/visitor';

/* The schedule on an experiment page, and its form. */

const stage = useConsole();
let admin: Visitor;
beforeAll(async () => {
  admin = await stage.admin();
});

const read = async ({ path }: Made): Promise<Made> => (await stage.client.get(path)).body as Made;

const valuesOf = async ({ path }: Made): Promise<(string | null)[]> =>
  [...(await documentOf(admin, `${path}/schedule`)).querySelectorAll('input[type=datetime-local]')].map(
    (input) => input.getAttribute('value'),
  );

it('the schedule is set in UTC, shown, changed and cleared', async () => {
  const experiment = await stage.make.ready();
  const before = await documentOf(admin, experiment.path);
  expect(textsOf(before, '[aria-labelledby=schedule]')).toEqual([]);
  expect(textsOf(before, '[aria-label=Actions] a')).toContain('Schedule');
  const form = `${experiment.path}/schedule`;
  const times = { starts_at: '2099-06-01T08:00', ends_at: '2099-06-15T17:30' };
  expect((await submitPage(admin, form, times)).location).toBe(`${experiment.path}?notice=saved`);
  expect(await read(experiment)).toMatchObject({
    starts_at: '2099-06-01T08:00:00.000000Z',
    ends_at: '2099-06-15T17:30:00.000000Z',
  });
  expect(await valuesOf(experiment)).toEqual(Object.values(times));
  const page = await documentOf(admin, experiment.path);
  expect(textsOf(page, '[aria-labelledby=schedule] dd')).toEqual([
    '1 June 2099, 08:00 UTC',
    '15 June 2099, 17:30 UTC',
  ]);
  await submitPage(admin, form, { starts_at: '', ends_at: '' });
  expect(await read(experiment)).toMatchObject({ starts_at: null, ends_at: null });
});

it('the schedule preserves fractions of a second, which the form does not show', async () => {
  const moments = { starts_at: '2099-06-01T08:00:00.000001Z', ends_at: '2099-06-15T17:30:15.250000Z' };
  const experiment = await stage.make.ready(moments);
  expect(await valuesOf(experiment)).toEqual(['2099-06-01T08:00', '2099-06-15T17:30:15']);
  const form = `${experiment.path}/schedule`;
  await submitPage(admin, form);
  expect(await read(experiment)).toMatchObject(moments);
  await submitPage(admin, form, { ends_at: '2099-06-15T17:30' });
  expect(await read(experiment)).toMatchObject({ ...moments, ends_at: '2099-06-15T17:30:00.000000Z' });
});

it.each(['2099-06-01T08:00', '2099-06-01T08:00:30', '2099-06-01T08:00:30.5'])(
  'the schedule is saved once if the form is submitted twice with %s',
  async (starts_at) => {
    const experiment = await stage.make.ready();
    const form = (await documentOf(admin, `${experiment.path}/schedule`)).querySelector('main form');
    const answers = [
      await submitForm(admin, form, { starts_at }),
      await submitForm(admin, form, { starts_at }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([303, 303]);
  },
);

it('an invalid schedule is rejected with a message next to the field', async () => {
  const experiment = await stage.make.ready();
  const answer = await submitPage(admin, `${experiment.path}/schedule`, {
    starts_at: '2099-06-01T08:00',
    ends_at: '2099-05-01T08:00',
  });
  expect(answer.status).toBe(422);
  const { document } = parseHTML(answer.text);
  expect(textsOf(document, '#ends_at-error')).toEqual([
    'The end must be after the start, 1 June 2099, 08:00 UTC.',
  ]);
});

it('the schedule has no start if the experiment is running', async () => {
  const experiment = await stage.make.withStatus('running');
  expect(await valuesOf(experiment)).toEqual(['']);
  await submitPage(admin, `${experiment.path}/schedule`, { ends_at: '2099-06-15T17:30' });
  expect(await read(experiment)).toMatchObject({ starts_at: null, ends_at: '2099-06-15T17:30:00.000000Z' });
});

it('the schedule is read-only for editors, who also see why a scheduled change was rejected', async () => {
  const experiment = await stage.make.ready({ ends_at: inHours(1) });
  const reason = (at: string): string => `The start scheduled for ${at} was rejected. It has no goal.`;
  await stage.api.database.writer.query('UPDATE experiments SET schedule_error = ? WHERE id = ?', [
    reason('2026-05-01T08:00:00Z'),
    experiment.id,
  ]);
  const editor = await stage.visitorOf(stage.world.people.editor);
  for (const [visitor, links] of [
    [admin, ['Change the schedule']],
    [editor, []],
  ] as const) {
    const page = await documentOf(visitor, experiment.path);
    expect(textsOf(page, '[aria-labelledby=schedule] .message')).toEqual([reason('1 May 2026, 08:00 UTC')]);
    expect(textsOf(page, '[aria-labelledby=schedule] a')).toEqual(links);
    expect(textsOf(page, '[aria-label=Actions] a')).not.toContain('Schedule');
  }
});
