import { RouteTable } from './route-table';

describe('RouteTable', () => {
  const table = new RouteTable();
  table.add('GET', '/api/teams');
  table.add(['GET', 'HEAD'], '/api/teams/:team/projects');
  table.add('DELETE', '/api/projects/:project');
  table.add('GET', '/docs/*');

  it.each([
    ['/api/teams', ['GET']],
    ['/api/teams/', ['GET']],
    ['/api/teams?x=1', ['GET']],
    ['/api/teams/7/projects', ['GET', 'HEAD']],
    ['/api/projects/7', ['DELETE']],
    ['/api/projects', []],
    ['/docs/anything', []],
    ['/api/teams/7/projects/8', []],
  ])('returns the methods of %s', (url, methods) => expect(table.allowed(url)).toEqual(methods));
});
