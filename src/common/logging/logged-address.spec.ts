import { loggedAddress } from './logged-address';

it.each([
  ['/share/pVQ3n0cWm1wzXJkYx5uTt8Zb6qRd2sGh4fLjKaEoCvI', '/share/[token]'],
  ['/share/secret?startDate=2026-05-01', '/share/[token]?startDate=2026-05-01'],
  ['/share/secret/more', '/share/[token]/more'],
  ['/api/teams?search=share', '/api/teams?search=share'],
])('%s is logged as %s', (url, logged) => {
  expect(loggedAddress(url)).toBe(logged);
});
