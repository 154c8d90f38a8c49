import { TestApi, World } from '../support/api';

describe('a write with dry_run', () => {
  let api: TestApi;
  let world: World;
  const pages = () => `${world.project}/pages`;

  beforeAll(async () => {
    api = await TestApi.start();
    world = await api.world();
  });
  afterAll(() => api.close());

  it.each(['1', 'true', 'yes', ''])('is refused and stores nothing (dry_run=%s)', async (value) => {
    const { client } = world.people.editor;
    const before = await client.get(pages());
    const answer = await client.post(`${pages()}?dry_run=${value}`, { name: 'Page' });
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toHaveProperty('dry_run');
    expect((await client.get(pages())).headers.etag).toBe(before.headers.etag);
  });

  it.each(['0', 'false'])('is a real one when it says so (dry_run=%s)', async (value) => {
    const answer = await world.people.editor.client.post(`${pages()}?dry_run=${value}`, { name: 'Page' });
    expect(answer.status).toBe(201);
  });

  it('is no matter of reads, nor of who may not write', async () => {
    expect((await world.people.viewer.client.get(`${pages()}?dry_run=1`)).status).toBe(200);
    expect((await world.people.viewer.client.post(`${pages()}?dry_run=1`, { name: 'Page' })).status).toBe(
      403,
    );
  });
});
