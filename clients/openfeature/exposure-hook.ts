/** The part of an evaluation that the hook needs. All OpenFeature SDKs for JavaScript pass it to their hooks. */
interface Evaluated {
  flagMetadata?: Readonly<Record<string, unknown>>;
}

/**
 * Maximum number of exposures that a hook remembers; above it, the hook forgets the oldest ones. On a server, a hook
 * remembers the exposures of all visitors.
 */
const MAX_REMEMBERED = 10_000;

/**
 * Whether a later evaluation sends the exposure again after a response with this status. A proxy may return 404 while
 * no server is available.
 */
const isTemporary = (status: number): boolean =>
  status === 404 || status === 408 || status === 429 || status >= 500;

/** Whether the server rejected the exposure, for example because the experiment is paused. */
const isRejected = async (response: Response): Promise<boolean> =>
  response.ok && ((await response.json()) as { rejected: number }).rejected > 0;

/**
 * An OpenFeature hook that records an exposure when your code evaluates a flag. It remembers sent exposures only to
 * avoid requests: the server stores repeated exposures once.
 * @param url the server URL
 */
export function exposureHook(url: string, clientKey: string) {
  const sent = new Set<string>();
  const address = `${url.replace(/\/+$/, '')}/v1/batch`;
  return {
    after(
      { context: { targetingKey, userAgent } }: { context: { targetingKey?: string; userAgent?: unknown } },
      { flagMetadata = {} }: Evaluated,
    ) {
      const { experiment_id, variation_id, phase } = flagMetadata;
      const messageId = `exposure:${targetingKey}:${String(experiment_id)}:${String(variation_id)}`;
      if (variation_id === undefined || sent.has(messageId)) {
        return;
      }
      sent.add(messageId);
      if (sent.size > MAX_REMEMBERED) {
        const [oldest = messageId] = sent;
        sent.delete(oldest);
      }
      const properties = { experiment_id, variation_id, phase };
      const event = {
        type: 'track',
        event: 'Experiment Viewed',
        messageId,
        anonymousId: targetingKey,
        properties,
        context: { userAgent },
      };
      const forget = (): boolean => sent.delete(messageId);
      const body = JSON.stringify({ writeKey: clientKey, batch: [event] });
      fetch(address, { method: 'POST', body, keepalive: true })
        .then(async (response) => (isTemporary(response.status) || (await isRejected(response))) && forget())
        .catch(forget);
    },
  };
}
