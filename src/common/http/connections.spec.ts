import Fastify from 'fastify';
import { SETTINGS } from '../../config/settings';
import { timeLimits } from './connections';

const { minimum, default: byDefault, maximum } = SETTINGS.REQUEST_TIMEOUT_SECONDS;

describe('timeLimits', () => {
  it.each([minimum, byDefault, maximum])('sets the timeouts of a server for %d seconds', (seconds) => {
    const { server } = Fastify(timeLimits(seconds * 1_000));
    expect(server).toMatchObject({ requestTimeout: seconds * 1_000, headersTimeout: seconds * 500 });
  });
});
