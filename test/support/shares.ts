import type { Made, Scene } from './scene';

/** Changes of the shares of experiments through the API. */
export function sharesIn(scene: Scene) {
  async function patch(path: string, body: object): Promise<Made> {
    const answer = await scene.client.patch(path, body);
    expect([path, answer.status, answer.body.errors]).toEqual([path, 200, undefined]);
    return answer.body as Made;
  }

  /** Decreases shares before increasing others, because the sum may not exceed 100. */
  async function edit({ path, variations }: Made, shares: readonly number[]): Promise<void> {
    for (const { id } of variations as Made[]) {
      await patch(`${path}/variations/${id}`, { traffic_allocation: 0 });
    }
    for (const [index, { id }] of (variations as Made[]).entries()) {
      await patch(`${path}/variations/${id}`, { traffic_allocation: shares[index] });
    }
  }

  return {
    patch,
    edit,
    publish: ({ path }: Made): Promise<Made> => patch(`${path}/publish`, {}),
    move: ({ path }: Made, status: string): Promise<Made> => patch(`${path}/status`, { status }),
  };
}
