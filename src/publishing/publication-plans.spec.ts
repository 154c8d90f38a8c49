import { liveDefinitions, liveExperiment } from '../../test/support/live-definitions';
import { movedDefinitions } from './publication-plans';

const [first, second, edited] = [
  liveExperiment({ id: 1, js: 'published' }),
  liveExperiment({ id: 2 }),
  liveExperiment({ id: 1, js: 'edited' }),
];
const environment = { id: 1, api_name: 'production', is_default: true, code: 'return true;' };
const staging = { id: 2, api_name: 'staging', is_default: false, code: 'return false;' };

describe('an experiment whose status changes', () => {
  it('is published alone if nothing has been published yet', () => {
    expect(movedDefinitions(null, liveDefinitions([second]), 2)).toEqual(liveDefinitions([second]));
  });

  it('does not change other published experiments', () => {
    const moved = movedDefinitions(liveDefinitions([first]), liveDefinitions([second]), 2);
    expect(moved.experiments).toEqual([first, second]);
  });

  it('is published with its own edits', () => {
    const moved = movedDefinitions(liveDefinitions([first, second]), liveDefinitions([edited]), 1);
    expect(moved.experiments).toEqual([edited, second]);
  });

  it('is removed when it stops', () => {
    const moved = movedDefinitions(liveDefinitions([first, second]), liveDefinitions([]), 1);
    expect(moved.experiments).toEqual([second]);
  });

  it('does not change published environments, and adds new ones', () => {
    const present = liveDefinitions([second], {
      environments: [{ ...environment, code: 'return edited;' }, staging],
    });
    expect(movedDefinitions(liveDefinitions([first]), present, 2).environments).toEqual([
      environment,
      staging,
    ]);
  });

  it('does not add a new environment if a published one still has its name', () => {
    const present = liveDefinitions([second], { environments: [{ ...staging, api_name: 'production' }] });
    expect(movedDefinitions(liveDefinitions([first]), present, 2).environments).toEqual([environment]);
  });
});
