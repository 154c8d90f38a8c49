import type { SnippetConfig } from './config';
import { sessionCountry } from './country';

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

afterEach(() => jest.restoreAllMocks());

it('forgets a country whose response is still being read when consent is withdrawn', async () => {
  let deliver: (body: object) => void = () => undefined;
  const body = new Promise<object>((resolve) => (deliver = resolve));
  const json = jest.fn(() => body);
  const response = { ok: true, headers: new Headers(), json };
  jest.spyOn(globalThis, 'fetch').mockResolvedValue(response as unknown as Response);
  const country = sessionCountry({ host: '', clientKey: 'key' } as SnippetConfig);
  const react = jest.fn();
  country.ask(react);
  await turn();
  expect(json).toHaveBeenCalled();
  country.forget();
  deliver({ country: 'CH' });
  await turn();
  expect([country.known(), country.isAwaited(), react.mock.calls]).toEqual([null, true, []]);
});
