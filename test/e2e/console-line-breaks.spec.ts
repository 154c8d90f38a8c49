import { parseHTML } from 'linkedom';
import { useConsole } from '../support/console';
import type { Made } from '../support/scene';
import { hiddenFields } from '../support/visitor';

/* Browsers submit all line breaks in a text field as CRLF, even if the stored text has other line breaks. */

const stage = useConsole();

const asSubmitted = (text: string): string => text.replace(/\r\n|\r|\n/g, '\r\n');

/** The fields of a form with these values, as a browser submits them. */
async function formAt(path: string, values: Record<string, string>): Promise<Record<string, string>> {
  const page = (await (await stage.admin()).get(path)).text;
  const texts = Object.entries(values).map(([name, text]) => [name, asSubmitted(text)]);
  return { ...hiddenFields(page), ...(Object.fromEntries(texts) as Record<string, string>) };
}

describe('texts with line breaks', () => {
  const TEXTS = ['one\r\ntwo\nthree', '\none\n', 'one\rtwo'];
  const valuesOf = ({ name, description, hypothesis }: Made) => ({ name, description, hypothesis });

  it.each(TEXTS)('are preserved when the form is saved: %j', async (text) => {
    const experiment = await stage.make.experiment({ name: 'Texts', description: text, hypothesis: text });
    const path = `${experiment.path}/edit`;
    const visitor = await stage.admin();
    expect((await visitor.post(path, await formAt(path, valuesOf(experiment)))).status).toBe(303);
    const { body } = await stage.client.get(experiment.path);
    expect(body).toEqual({ ...body, ...valuesOf(experiment), updated_at: experiment.updated_at });

    const changed = { ...valuesOf(experiment), description: `${text}\nmore` };
    expect((await visitor.post(path, await formAt(path, changed))).status).toBe(303);
    const after = (await stage.client.get(experiment.path)).body;
    expect([after.description, after.hypothesis]).toEqual([`${text}\nmore`.replace(/\r\n?/g, '\n'), text]);
  });

  it('are preserved in names, which therefore need a multi-line field', async () => {
    const { path } = await stage.make.experiment({ name: 'one\ntwo' });
    const { document } = parseHTML((await (await stage.admin()).get(`${path}/edit`)).text);
    expect(document.querySelector('[name=name]')!.textContent).toBe('one\ntwo');
    expect(document.querySelector('[name=name]')!.localName).toBe('textarea');
    expect(document.querySelector('[name=traffic_allocation]')!.localName).toBe('input');
  });

  it('are preserved in environment code', async () => {
    const settings = `${stage.make.project}/settings/environments`;
    const code = '// live\r\nreturn true;';
    const { body } = await stage.client.post(settings, { name: 'Live', code });
    const path = `${settings}/${body.id}/edit`;
    const visitor = await stage.admin();
    expect((await visitor.post(path, await formAt(path, { name: 'Live', code }))).status).toBe(303);
    expect((await stage.client.get(`${stage.make.project}/environments/${body.id}`)).body).toEqual(body);
  });

  it('do not count as a difference from what another user has saved', async () => {
    const experiment = await stage.make.experiment({ name: 'Mine', description: 'one\ntwo' });
    const path = `${experiment.path}/edit`;
    const others = { hypothesis: '', traffic_allocation: '100', tags: '' };
    const fields = await formAt(path, { name: 'Mine, too', description: 'one\ntwo', ...others });
    await stage.client.patch(experiment.path, { name: 'Theirs' });
    const refused = await (await stage.admin()).post(path, fields);
    expect(refused.status).toBe(412);
    const notes = [...parseHTML(refused.text).document.querySelectorAll('[id$="-now"]')];
    expect(notes.map(({ textContent }) => textContent)).toEqual(['Current value: Theirs']);
  });
});
