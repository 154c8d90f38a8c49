import { freePort } from './server-process';
import { TestApi } from './api';

/** The application on a port of its own, which it is known by. */
export async function startLive(environment: Record<string, string> = {}): Promise<TestApi> {
  const port = await freePort();
  const api = await TestApi.start({ PUBLIC_URL: `http://127.0.0.1:${port}`, ...environment });
  await api.app.listen(port, '127.0.0.1');
  return api;
}
