import { Logger } from '@nestjs/common';
import { metricsIn, valueOf } from '../support/prometheus';
import { useScene } from '../support/scene';

const scene = useScene();
const metrics = async () => metricsIn((await scene.api.app.inject({ url: '/metrics' })).payload);

describe('metrics during a database outage', () => {
  afterEach(() => jest.restoreAllMocks());

  it('omit values from the database, and log one line for each metric that is missing', async () => {
    const inDatabase = ['gosset_visitors_waiting', 'gosset_webhook_deliveries'];
    const seriesOf = async (): Promise<number[]> => {
      const all = await metrics();
      return inDatabase.map((wanted) => all.find(({ name }) => name === wanted)?.samples.length ?? 0);
    };
    const lines = (['error', 'warn', 'log'] as const).map((level) =>
      jest.spyOn(Logger.prototype, level).mockReturnValue(),
    );
    const logged = () => lines.flatMap(({ mock }) => mock.calls.map(([line]) => line as object));
    expect(await seriesOf()).toEqual([1, 2]);
    const outage = jest
      .spyOn(scene.api.database.delivery, 'query')
      .mockRejectedValue(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
    for (let scrape = 0; scrape < 3; scrape += 1) {
      expect(await seriesOf()).toEqual([0, 0]);
      expect(valueOf(await metrics(), 'gosset_database_waiting')).toBe(0);
    }
    const reason = 'connect ECONNREFUSED';
    const begun = [
      { msg: 'Visitors cannot be counted', reason },
      { msg: 'Webhook deliveries cannot be counted', reason },
    ];
    expect(logged()).toEqual(expect.arrayContaining(begun));
    expect(logged()).toHaveLength(2);
    outage.mockRestore();
    expect(await seriesOf()).toEqual([1, 2]);
    expect(logged()).toHaveLength(4);
  });
});
