import { parseHTML } from 'linkedom';
import { useConsole } from '../support/console';
import type { Made } from '../support/scene';

/* Two users change the same record with forms that they opened at the same time. */

const stage = useConsole();

/** The fields of the form on a page, as a browser submits them. */
function fieldsIn(page: string): Record<string, string> {
  const { document } = parseHTML(page);
  const form = document.querySelector('form[method=post].form, main form[method=post]');
  const fields: Record<string, string> = {};
  for (const field of form?.querySelectorAll('input, textarea, select') ?? []) {
    const type = field.getAttribute('type') ?? '';
    const isLeftOut = ['checkbox', 'radio'].includes(type) && !field.hasAttribute('checked');
    if (!isLeftOut) {
      const text = field.localName === 'textarea' ? field.textContent : field.getAttribute('value');
      fields[field.getAttribute('name') ?? ''] = text ?? '';
    }
  }
  return fields;
}

const read = async ({ path }: Made): Promise<Made> => (await stage.client.get(path)).body as Made;
const notesIn = (page: string): (string | null)[] =>
  [...parseHTML(page).document.querySelectorAll('[id$="-now"]')].map(({ textContent }) => textContent);

describe('a form that is submitted again after a conflict', () => {
  it('keeps the changes of both users', async () => {
    const admin = await stage.admin();
    const experiment = await stage.make.experiment({
      name: 'A',
      description: 'B',
      hypothesis: 'C',
      tags: ['d'],
    });
    const path = `${experiment.path}/edit`;
    const fields = fieldsIn((await admin.get(path)).text);
    await stage.client.patch(experiment.path, { name: 'Theirs', hypothesis: 'Theirs', tags: [] });
    const refused = await admin.post(path, { ...fields, description: 'Mine', hypothesis: 'Mine' });
    expect(refused.status).toBe(412);
    expect(notesIn(refused.text)).toEqual([
      'Someone else has changed this.',
      'Current value: B',
      'Someone else has changed this.',
      'Current value: Theirs',
    ]);
    expect((await admin.post(path, fieldsIn(refused.text))).status).toBe(303);
    expect(await read(experiment)).toMatchObject({
      name: 'Theirs',
      description: 'Mine',
      hypothesis: 'Mine',
      tags: [],
    });
  });

  it('shows the current choice in the words of the form', async () => {
    const admin = await stage.admin();
    const experiment = await stage.make.withStatus('running');
    const path = `${experiment.path}/decision`;
    const fields = fieldsIn((await admin.get(path)).text);
    await stage.client.patch(experiment.path, { decision: { outcome: 'revert' } });
    const mine = { ...fields, 'decision.outcome': 'invalid' };
    const refused = await admin.post(path, mine);
    expect([refused.status, notesIn(refused.text)]).toEqual([412, ['Current value: Keep the original']]);
  });

  it('keeps the checkbox changes of both users', async () => {
    const admin = await stage.admin();
    const goals: Made[] = [];
    for (const name of ['Kept', 'Removed by them', 'Added by them', 'Removed by me', 'Added by me']) {
      goals.push(await stage.make.goal({ name }));
    }
    const [kept, removed, added, mineRemoved, mineAdded] = goals.map(({ id }) => id);
    const experiment = await stage.make.ready({ guardrails: [kept, removed, mineRemoved] });
    const path = `${experiment.path}/guardrails`;
    const { [`guardrails.${mineRemoved}`]: _, ...fields } = fieldsIn((await admin.get(path)).text);
    await stage.client.patch(experiment.path, { guardrails: [kept, added, mineRemoved] });
    const refused = await admin.post(path, { ...fields, [`guardrails.${mineAdded}`]: 'on' });
    expect([refused.status, notesIn(refused.text)]).toEqual([412, ['Someone else has changed this.']]);
    expect((await admin.post(path, fieldsIn(refused.text))).status).toBe(303);
    const ids = (await read(experiment)).guardrails.map(({ id }: Made) => id);
    expect(ids.sort()).toEqual([kept, added, mineAdded].sort());
  });

  it('keeps both changes after two conflicts with a rejected input between them', async () => {
    const admin = await stage.admin();
    const experiment = await stage.make.experiment({ name: 'A', description: 'B' });
    const path = `${experiment.path}/edit`;
    const first = fieldsIn((await admin.get(path)).text);
    const rejected = await admin.post(path, { ...first, description: 'Mine', name: '' });
    expect(rejected.status).toBe(422);
    await stage.client.patch(experiment.path, { hypothesis: 'Theirs' });
    const once = await admin.post(path, { ...fieldsIn(rejected.text), name: 'A' });
    await stage.client.patch(experiment.path, { name: 'Theirs, too' });
    const twice = await admin.post(path, fieldsIn(once.text));
    expect([once.status, twice.status]).toEqual([412, 412]);
    expect((await admin.post(path, fieldsIn(twice.text))).status).toBe(303);
    expect(await read(experiment)).toMatchObject({
      name: 'Theirs, too',
      description: 'Mine',
      hypothesis: 'Theirs',
    });
  });

  it.each(['constructor', 'toString', '__proto__'])('ignores a field named %s', async (name) => {
    const admin = await stage.admin();
    const experiment = await stage.make.experiment({ name: 'A' });
    const path = `${experiment.path}/edit`;
    const fields = fieldsIn((await admin.get(path)).text);
    const unknown = Object.fromEntries([...Object.entries(fields), ['name', 'B'], [name, 'x']]);
    expect((await admin.post(path, unknown)).status).toBe(303);
    const shown = `{"${name}":"x","name":"x"}`;
    expect((await admin.post(path, { ...fields, shown })).status).toBe(412);
    expect(await read(experiment)).toMatchObject({ name: 'B' });
  });

  it('shows the input again if the field with the original values is missing or invalid', async () => {
    const admin = await stage.admin();
    const experiment = await stage.make.experiment({ name: 'A' });
    const path = `${experiment.path}/edit`;
    const fields = fieldsIn((await admin.get(path)).text);
    await stage.client.patch(experiment.path, { name: 'Theirs' });
    for (const shown of ['', 'x', 'null', '[1]', '"x"', '{"name":1}']) {
      const refused = await admin.post(path, { ...fields, shown });
      expect([shown, refused.status, notesIn(refused.text)]).toEqual([shown, 412, ['Current value: Theirs']]);
    }
  });
});
