import { refusalOf } from '../common/errors/refusal';
import { DefinitionsChangedError, untilUnchanged } from './definitions';

describe('untilUnchanged', () => {
  const failing = (times: number, error: Error): jest.Mock<Promise<string>> => {
    const attempt = jest.fn<Promise<string>, []>().mockResolvedValue('stored');
    Array.from({ length: times }).forEach(() => attempt.mockRejectedValueOnce(error));
    return attempt;
  };

  it('retries after a change', async () => {
    const attempt = failing(4, new DefinitionsChangedError());
    await expect(untilUnchanged(attempt)).resolves.toBe('stored');
    expect(attempt).toHaveBeenCalledTimes(5);
  });

  it('asks the client to send the messages again after too many changes', async () => {
    const attempt = failing(5, new DefinitionsChangedError());
    const error: unknown = await untilUnchanged(attempt).catch((reason: unknown) => reason);
    expect(refusalOf(error)).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect(refusalOf(error).body).toEqual({ message: 'Service Unavailable', code: 'UNAVAILABLE' });
  });

  it('passes on other errors', async () => {
    const attempt = failing(1, new Error('disk full'));
    await expect(untilUnchanged(attempt)).rejects.toThrow('disk full');
    expect(attempt).toHaveBeenCalledTimes(1);
  });
});
