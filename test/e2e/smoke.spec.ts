import { TestApi, World } from '../support/api';
import { readyExperiment } from '../support/builders';

describe('smoke', () => {
  let api: TestApi;
  let world: World;
  beforeAll(async () => {
    api = await TestApi.start();
    world = await api.world();
  });
  afterAll(() => api.close());

  it('goes round', async () => {
    const { client } = world.people.admin;
    const r = await readyExperiment(client, world.project);
    const shown = await client.get(`${world.project}/experiments/${r.experiment}`);
    expect(shown.status).toBe(200);
    console.log(shown.headers, shown.body);
    const put = await client.put(`${world.project}/experiments/${r.experiment}`, shown.body);
    expect(put.body).toEqual(shown.body);
    const started = await client.patch(`${world.project}/experiments/${r.experiment}/status`, { status: 'running' });
    expect(started.status).toBe(200);
    const bad = await client.post(`${world.project}/experiments`, { nam: 'x', audiences: [999], traffic_allocation: 101, variations: [{ name: '', js: '((' }], js: ')' , tags: ['a', 'a']});
    console.log(JSON.stringify(bad.body, null, 1));
    const clone = await client.post(`${world.project}/experiments/${r.experiment}/clone`);
    expect(clone.status).toBe(201);
    console.log(clone.headers.location, clone.body);
    const list = await client.get(`${world.project}/experiments?fields=id,name&page=1&per_page=1`);
    console.log(list.headers, list.body);
    const again = await client.get(`${world.project}/experiments?fields=id,name&page=1&per_page=1`, { 'if-none-match': String(list.headers.etag) });
    expect(again.status).toBe(304);
  });
});
