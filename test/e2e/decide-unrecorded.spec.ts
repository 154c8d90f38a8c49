import { newSite, running, Site } from '../support/delivery';
import { storedEvents } from '../support/events';
import { useScene } from '../support/scene';

/* Decisions whose exposures are not stored. */

const scene = useScene();
let site: Site;

beforeEach(async () => {
  site = await newSite(scene);
});

const decide = async (id: string) => {
  const { status, body } = await site.post('/v1/decide', { user: { id } });
  return {
    status,
    recorded: body.recorded,
    reasons: body.experiments.map(({ reason }: { reason: string }) => reason),
  };
};

const flag = async (name: string, id: string) => {
  const { status, body } = await site.post(`/ofrep/v1/evaluate/flags/${name}?record=1`, {
    context: { targetingKey: id },
  });
  return { status, reason: body.reason, recorded: body.metadata?.recorded };
};

const limitTo = (events_per_minute: number) =>
  scene.client.patch(`${site.make.project}/settings`, { events_per_minute });

const exposuresOf = async (id: string) =>
  (await storedEvents(scene.api)).filter(({ visitor_id }) => visitor_id === id).length;

describe('above the limit on events per minute', () => {
  it('visitors get the same decisions, whose exposures are not recorded', async () => {
    const experiment = await running(site);
    await limitTo(1);
    expect(await decide('limit-1')).toEqual({ status: 200, recorded: true, reasons: ['assigned'] });
    expect(await decide('limit-2')).toEqual({ status: 200, recorded: false, reasons: ['assigned'] });
    const evaluation = await flag(experiment.api_name as string, 'limit-2');
    expect(evaluation).toEqual({ status: 200, reason: 'SPLIT', recorded: false });
    expect([await exposuresOf('limit-1'), await exposuresOf('limit-2')]).toEqual([1, 0]);
  });

  it('visitors get the same decisions even if there are more experiments than events per minute', async () => {
    await running(site);
    await running(site);
    await limitTo(1);
    const unrecorded = { status: 200, recorded: false, reasons: ['assigned', 'assigned'] };
    expect(await decide('limit-3')).toEqual(unrecorded);
    expect(await exposuresOf('limit-3')).toBe(0);
  });
});

it('the exposure of a deleted visitor is rejected, and not reported as recorded', async () => {
  const experiment = await running(site);
  expect(await decide('gone')).toMatchObject({ recorded: true });
  expect((await scene.client.delete(`${site.make.project}/visitors/gone`)).status).toBe(204);
  expect(await decide('gone')).toEqual({ status: 200, recorded: false, reasons: ['assigned'] });
  expect(await flag(experiment.api_name as string, 'gone')).toMatchObject({ status: 200, recorded: false });
  expect(await exposuresOf('gone')).toBe(0);
});
