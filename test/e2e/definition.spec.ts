import { Change, CODE, DefinitionStage, fill } from '../support/definition';
import { attributeAll, exposure, send } from '../support/events';
import { RESOURCES } from '../support/resources';
import { errorsOf, Made, useScene } from '../support/scene';

/* eslint-disable @typescript-eslint/no-explicit-any -- tests change documents in any way */

const short = ({ kind, api_name, action, skipped }: Change): string =>
  [kind, api_name, action, skipped].filter((part) => part !== null).join(' ');

describe('a project definition', () => {
  const scene = useScene();
  const stage = new DefinitionStage(scene);
  beforeEach(() => stage.begin());

  it('contains all definitions, by api_name and without ids', async () => {
    await fill(stage.make);
    const document = await stage.show();
    expect(Object.keys(document)).toEqual([
      'version',
      'project',
      'settings',
      ...RESOURCES.filter(({ inDefinition }) => inDefinition !== false).map(({ collection }) => collection),
      'experiments',
    ]);
    expect(Object.keys(document)).toEqual(
      expect.arrayContaining(['environments', 'exclusion_groups', 'goals']),
    );
    expect(document.goals).toMatchObject([
      { api_name: 'cart-viewed', name: 'Cart viewed', type: 'pageview', page: 'shop' },
      { api_name: 'order-placed', value_type: 'revenue', conversion_window_days: 14, page: null },
    ]);
    expect(document.experiments).toMatchObject([
      {
        api_name: 'green-button',
        status: 'draft',
        js: CODE,
        audiences: ['phones'],
        pages: ['shop'],
        goals: ['cart-viewed', 'order-placed'],
        environments: ['production'],
        variations: [
          { api_name: 'original', is_original: true, traffic_allocation: null },
          { api_name: 'green', traffic_allocation: 30, css: '.buy{}' },
        ],
      },
    ]);
    const text = JSON.stringify(document);
    for (const secret of ['"id"', '_id"', '_at"', 'token', 'preview', 'client_key']) {
      expect(text).not.toContain(secret);
    }
  });

  it('recreates the project in an empty one, byte by byte, and then changes nothing', async () => {
    const { experiment } = await fill(stage.make);
    await stage.make.move(experiment, 'running');
    await stage.make.move(await stage.make.ready({ name: 'Archived' }), 'archive');
    await stage.make.move(await stage.make.ready({ name: 'Previewed' }), 'preview');
    await scene.client.patch(stage.make.project, { significance: 99, description: 'A shop' });
    await scene.client.patch(`${stage.make.project}/settings`, { currency: 'EUR', push_to: ['gtag'] });
    const exported = (await stage.exported()).text;

    await stage.begin('Empty');
    expect((await stage.changesOf(JSON.parse(exported), '?status=1')).map(short)).toEqual([
      'project update',
      'project_settings update',
      'audience phones create',
      'page page create',
      'page page-2 create',
      'page shop create',
      'goal cart-viewed create',
      'goal goal create',
      'goal goal-2 create',
      'goal order-placed create',
      'experiment archived create',
      'experiment archived move',
      'experiment green-button create',
      'experiment green-button move',
      'experiment previewed create',
      'experiment previewed move',
    ]);
    expect((await stage.exported()).text).toBe(exported);
    const tag = (await stage.exported()).headers.etag;
    expect(await stage.changesOf(JSON.parse(exported), '?status=1&prune=1')).toEqual([]);
    expect((await stage.exported()).headers.etag).toBe(tag);
  });

  it('is planned by a dry run, which stores nothing', async () => {
    await fill(stage.make);
    const before = await stage.exported();
    const document = before.body;
    document.goals[0].name = 'Basket viewed';
    document.goals.push({ api_name: 'refund', name: 'Refund', direction: 'decrease' });
    document.experiments[0].goals.push('refund');
    document.experiments[0].variations[1].css = null;
    const plan = await stage.put(document, '?dry_run=1');
    expect([plan.status, plan.headers['x-dry-run']]).toEqual([200, 'true']);
    expect(plan.body.changes).toEqual([
      {
        kind: 'goal',
        api_name: 'cart-viewed',
        experiment: null,
        action: 'update',
        before: { name: 'Cart viewed' },
        after: { name: 'Basket viewed' },
        live: false,
        participants: 0,
        skipped: null,
      },
      expect.objectContaining({ api_name: 'refund', action: 'create', before: null }),
      expect.objectContaining({
        api_name: 'green-button',
        before: { goals: ['cart-viewed', 'order-placed'] },
        after: { goals: ['cart-viewed', 'order-placed', 'refund'] },
      }),
      expect.objectContaining({
        kind: 'variation',
        api_name: 'green',
        experiment: 'green-button',
        before: { css: '.buy{}' },
        after: { css: null },
      }),
    ]);
    const after = await stage.exported();
    expect([after.text, after.headers.etag]).toEqual([before.text, before.headers.etag]);
    expect((await stage.put(document)).body).toEqual(plan.body);
    expect((await stage.show()).goals).toHaveLength(3);
  });

  it('lists deletions and status changes that were not requested, and makes them on request', async () => {
    await fill(stage.make);
    const edit = (document: any): void => {
      document.goals = document.goals.filter((goal: any) => goal.api_name !== 'cart-viewed');
      document.experiments[0].goals = ['order-placed'];
      document.experiments[0].variations.pop();
      document.experiments[0].status = 'archive';
      document.audiences = [];
    };
    const document = await stage.show();
    edit(document);
    const listed = await stage.changesOf(document);
    expect(listed.map(short)).toEqual([
      'experiment green-button update',
      'audience phones delete prune',
      'goal cart-viewed delete prune',
      'variation green delete prune',
      'experiment green-button move status',
    ]);
    expect((await stage.show()).audiences).toHaveLength(1);
    document.experiments[0].audiences = [];
    expect((await stage.changesOf(document, '?prune=1&status=1')).map(short)).toEqual([
      'audience phones delete',
      'goal cart-viewed delete',
      'experiment green-button update',
      'variation green delete',
      'experiment green-button move',
    ]);
    expect(await stage.show()).toMatchObject({ audiences: [], experiments: [{ status: 'archive' }] });
  });

  it('does not change anything that the document omits', async () => {
    await fill(stage.make);
    const before = await stage.show();
    expect(await stage.changesOf({}, '?prune=1&status=1')).toEqual([]);
    const part = { experiments: [{ api_name: 'green-button', traffic_allocation: 60 }] };
    expect((await stage.changesOf(part, '?prune=1&status=1')).map(({ after }) => after)).toEqual([
      { traffic_allocation: 60 },
    ]);
    before.experiments[0].traffic_allocation = 60;
    expect(await stage.show()).toEqual(before);
  });

  it('shows how many participants of running experiments each change affects', async () => {
    const { experiment } = await fill(stage.make);
    await stage.make.move(experiment, 'running');
    const { client_key: clientKey } = (await scene.client.get(stage.make.project)).body as Made;
    const shown = (await scene.client.get(experiment.path)).body as Made;
    const visitors = ['a', 'b', 'c'].map((visitor) => exposure(visitor, shown.id, shown.variations[0].id));
    expect((await send(scene.api, clientKey, visitors)).status).toBe(200);
    await attributeAll(scene.api);
    const info = await scene.client.get(`${experiment.path}/results/info`);
    expect(info.body).toMatchObject({ participants: 3 });

    const changes = await stage.change((document) => {
      document.experiments[0].traffic_allocation = 80;
      document.experiments[0].description = 'New';
      document.experiments[0].variations[1].css = '.buy{color:red}';
      document.pages[0].conditions = [];
      document.goals[1].description = 'A text';
      document.settings.push_to = ['dataLayer'];
      document.project.significance = 99;
    }, '?dry_run=1');
    const effect = ({ kind, live, participants }: Change) => [kind, live, participants];
    expect(changes.map(effect)).toEqual([
      ['project', false, 0],
      ['project_settings', true, 3],
      ['page', true, 3],
      ['goal', false, 0],
      ['experiment', true, 3],
      ['variation', true, 3],
    ]);
    await stage.make.environment({ name: 'Staging' });
    const moved = await stage.change(({ environments: [production, staging] }) => {
      production.is_default = false;
      staging.is_default = true;
    }, '?dry_run=1');
    expect(moved.map(effect)).toEqual([
      ['environment', true, 3],
      ['environment', false, 0],
    ]);
    const stop = await stage.change((document) => (document.experiments[0].status = 'pause'));
    expect(stop.map((each) => [...effect(each), each.skipped])).toEqual([['experiment', true, 3, 'status']]);
  });

  it('publishes status changes immediately and other changes with the next publication, as single requests do', async () => {
    const { experiment } = await fill(stage.make);
    const revision = async (): Promise<number> =>
      ((await scene.client.get(stage.make.project)).body as Made).snippet_revision;
    await stage.change((document) => (document.experiments[0].status = 'running'), '?status=1');
    expect(await revision()).toBe(1);
    await stage.change((document) => (document.experiments[0].traffic_allocation = 10));
    expect(await revision()).toBe(1);
    expect((await scene.client.patch(`${experiment.path}/publish`)).body).toMatchObject({
      snippet_revision: 2,
    });
    await stage.change((document) => (document.experiments[0].status = 'pause'), '?status=1');
    expect(await revision()).toBe(3);
  });

  it('pauses a running experiment before its other changes and changes an archived one after its status', async () => {
    const { experiment } = await fill(stage.make);
    await stage.make.move(experiment, 'running');
    await stage.change((document) => {
      document.experiments[0].status = 'pause';
      document.experiments[0].goals = [];
    }, '?status=1');
    await stage.make.move(experiment, 'archive');
    const refused = await stage.put({ experiments: [{ api_name: 'green-button', css: null }] });
    expect(errorsOf(refused)).toEqual({ 'experiments.0.status': [expect.stringContaining('archived')] });
    expect(
      (await stage.changesOf({ experiments: [{ api_name: 'green-button', hypothesis: 'None' }] })).length,
    ).toBe(1);
    await stage.change((document) => {
      document.experiments[0].status = 'pause';
      document.experiments[0].css = null;
    }, '?status=1');
    expect((await stage.show()).experiments[0]).toMatchObject({ status: 'pause', css: null, goals: [] });
  });

  it('changes shares and the original in one step', async () => {
    await stage.make.experiment({
      name: 'Shares',
      variations: [
        { name: 'A', traffic_allocation: 70 },
        { name: 'B', traffic_allocation: 30 },
      ],
    });
    await stage.change((document) => {
      const [a, b] = document.experiments[0].variations;
      Object.assign(a, { traffic_allocation: 10, is_original: false });
      Object.assign(b, { traffic_allocation: 60, is_original: true });
      document.experiments[0].variations.unshift({ api_name: 'c', name: 'C', traffic_allocation: 30 });
    });
    expect((await stage.show()).experiments[0].variations).toMatchObject([
      { api_name: 'a', traffic_allocation: 10, is_original: false },
      { api_name: 'b', traffic_allocation: 60, is_original: true },
      { api_name: 'c', traffic_allocation: 30, is_original: false },
    ]);
  });

  it('creates an audit entry for each change, with the request id', async () => {
    await fill(stage.make);
    const headers = { 'x-request-id': 'apply-1' };
    const document = await stage.show();
    document.goals[0].name = 'Renamed';
    document.experiments[0].variations[1].name = 'Greener';
    expect((await stage.put(document, '', headers)).status).toBe(200);
    const entries = (await scene.client.get(`${stage.make.project}/audit`)).body as Change[];
    const own = entries.filter(({ request_id }) => request_id === 'apply-1');
    expect(own.map(({ action, item_type, item_name }) => [action, item_type, item_name])).toEqual([
      ['update', 'variation', 'Greener'],
      ['update', 'goal', 'Renamed'],
    ]);
  });
});
