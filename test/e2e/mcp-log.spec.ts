import { Assistant, useAssistants } from '../support/assistant';
import { ServerProcess } from '../support/server-process';

/* MCP requests in the log of the built server. */

const scene = useAssistants();

it('the log contains the API calls of tools with the id of the MCP request, and no token', async () => {
  const { id, token } = scene.world.people.viewer;
  const server = await (await ServerProcess.spawn({ DATABASE_URL: scene.api.databaseUrl })).ready();
  const assistant = await Assistant.overHttp(server.address, token);
  await assistant.get('list_projects', { team_id: scene.world.teamId });
  await assistant.close();
  server.kill('SIGTERM');
  await server.exit;
  const lines = server.logLines();
  const call = lines.find(({ url }) => String(url).startsWith(`/api/teams/${scene.world.teamId}/projects?`));
  expect(call).toMatchObject({ method: 'GET', status: 200, userId: id, tokenId: expect.any(Number) });
  const asked = lines.filter(({ requestId, url }) => requestId === call?.requestId && url === '/mcp');
  expect(asked).toMatchObject([{ method: 'POST', status: 200, userId: id, tokenId: call?.tokenId }]);
  expect(server.stdout + server.stderr).not.toContain(token.slice(4));
});
