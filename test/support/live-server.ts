import { freePort } from './server-process';
import { TestApi } from './api';

/** Starts the application on a separate port, and sets the public URL accordingly. */
export async function startLive(
  environment: Record<string, string> = {},
  port: number | null = null,
): Promise<TestApi> {
  const own = port ?? (await freePort());
  const api = await TestApi.start({ PUBLIC_URL: `http://127.0.0.1:${own}`, ...environment });
  await api.app.listen(own, '127.0.0.1');
  return api;
}
