import { TokensService } from '../../src/users/tokens/tokens.service';
import { Person, TestApi } from '../support/api';
import { eventually } from '../support/waiting';

/* The last use of tokens. */

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.start();
});
afterAll(() => api.close());
afterEach(() => jest.useRealTimers());

const fakeClock = (moment: string): void => {
  jest.useFakeTimers({
    now: new Date(moment),
    doNotFake: [
      'nextTick',
      'setImmediate',
      'setInterval',
      'setTimeout',
      'queueMicrotask',
      'performance',
      'hrtime',
    ],
  });
};

const lastUse = async ({ id }: Person): Promise<string | null> =>
  (await api.app.get(TokensService, { strict: false }).list(id))[0].last_used_at;

/** Polls for the expected last use, which is stored after the response. */
async function waitForUse(person: Person, expected: string): Promise<void> {
  await eventually(async () => (await lastUse(person)) === expected);
  expect(await lastUse(person)).toBe(expected);
}

describe('last_used_at', () => {
  it('is null for a token that was never used', async () => {
    expect(await lastUse(await api.person())).toBeNull();
  });

  it('is stored with a precision of one minute', async () => {
    const person = await api.person();
    fakeClock('2026-05-01T09:30:59.999Z');
    await person.client.get('/teams');
    await waitForUse(person, '2026-05-01T09:30:00.000000Z');
    jest.setSystemTime(new Date('2026-05-01T09:31:00.001Z'));
    await person.client.get('/teams');
    await waitForUse(person, '2026-05-01T09:31:00.000000Z');
  });

  it('is also updated by rejected requests if the token is valid', async () => {
    const person = await api.person();
    fakeClock('2026-05-01T10:00:30.000Z');
    expect((await person.client.get('/projects/1')).status).toBe(404);
    await waitForUse(person, '2026-05-01T10:00:00.000000Z');
  });

  it('is written once a minute for each token', async () => {
    const person = await api.person();
    fakeClock('2026-05-01T11:00:00.000Z');
    const transactions = jest.spyOn(api.database, 'transaction');
    for (let request = 0; request < 10; request += 1) {
      jest.setSystemTime(new Date(`2026-05-01T11:00:${String(request * 5).padStart(2, '0')}.000Z`));
      await person.client.get('/teams');
    }
    await waitForUse(person, '2026-05-01T11:00:00.000000Z');
    expect(transactions).toHaveBeenCalledTimes(1);
    transactions.mockRestore();
  });

  it('does not delay requests', async () => {
    const person = await api.person();
    let release: () => void = () => undefined;
    const blocked = jest
      .spyOn(api.database, 'transaction')
      .mockImplementationOnce(() => new Promise((resolve) => (release = () => resolve(undefined))));
    expect((await person.client.get('/teams')).status).toBe(200);
    expect(blocked).toHaveBeenCalledTimes(1);
    release();
    blocked.mockRestore();
  });

  it('does not fail requests if it cannot be written', async () => {
    const person = await api.person();
    const broken = jest
      .spyOn(api.database, 'transaction')
      .mockRejectedValueOnce(new Error('The disk is full.'));
    expect((await person.client.get('/teams')).status).toBe(200);
    expect(broken).toHaveBeenCalledTimes(1);
    broken.mockRestore();
  });

  it('is not updated by invalid tokens', async () => {
    const person = await api.person();
    await api.as(`${person.token.slice(0, -1)}${person.token.endsWith('a') ? 'b' : 'a'}`).get('/teams');
    expect(await lastUse(person)).toBeNull();
  });
});
