import { ExperimentListStore } from '../../src/console/experiment-list.store';
import { documentOf, textsOf, useConsole } from '../support/console';
import type { Visitor } from '../support/visitor';

/* Warnings about pages that no URL can match. The API accepts them. */

const stage = useConsole();
let admin: Visitor;
beforeAll(async () => {
  admin = await stage.admin();
});

it('the page and the advice for missing participants name conditions that never match', async () => {
  const { make } = stage;
  const page = await make.page({ name: 'Cart', conditions: [{ match: 'starts_with', value: '/cart' }] });
  const other = await make.page({ name: 'Shop', conditions: [{ match: 'simple', value: '/shop' }] });
  const pages = await documentOf(admin, `${make.project}/definitions?kind=pages`);
  const warnings = textsOf(pages, 'dd p');
  expect(warnings).toEqual([expect.stringContaining('“/cart” never matches.')]);
  const experiment = await make.ready({ pages: [page.id, other.id] });
  await make.move(experiment, 'running');
  const advice = textsOf(await documentOf(admin, experiment.path), '.advice p').join(' ');
  expect(advice.replace(/[\u2068\u2069]/g, '')).toContain(`Cart: ${warnings[0]}`);
  expect(advice).not.toContain('Shop');
});

it('the conditions are only read for running experiments', async () => {
  const { make } = stage;
  const page = await make.page({ conditions: [{ match: 'starts_with', value: '/cart' }] });
  const experiment = await make.ready({ pages: [page.id] });
  const read = jest.spyOn(ExperimentListStore.prototype, 'pageConditions');
  await documentOf(admin, experiment.path);
  expect(read).not.toHaveBeenCalled();
  await make.move(experiment, 'running');
  await documentOf(admin, experiment.path);
  expect(read).toHaveBeenCalledTimes(1);
  read.mockRestore();
});
