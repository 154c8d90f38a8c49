import { documentOf, pressStep, textsOf, useConsole } from '../support/console';
import type { Visitor } from '../support/visitor';

/* The next step of an experiment without environments, which can run but gets no visitors. */

const stage = useConsole();
let admin: Visitor;
beforeAll(async () => {
  admin = await stage.admin();
});

it('the next step is to attach an environment, not to wait for visitors', async () => {
  const experiment = await stage.make.ready({ environments: [] });
  await stage.make.move(experiment, 'running');
  const steps = async (): Promise<string[]> =>
    textsOf(await documentOf(admin, experiment.path), '.advice h3, .step h3');
  expect(await steps()).toEqual(['The experiment has no environment, so no visitors take part.']);
  expect(textsOf(await documentOf(admin, experiment.path), 'dd')).toContain('None, so no visitors take part');
  const step = (await documentOf(admin, experiment.path)).querySelector('.step');
  await pressStep(admin, step as Element);
  const { body } = await stage.client.get(experiment.path);
  expect(body).toMatchObject({ environments: [{ name: 'Production' }] });
  expect(await steps()).toEqual(['Wait for the first participants', 'Publish the changes']);
});
