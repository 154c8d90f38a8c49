import type { Made, Scene } from './scene';

/** Changes traffic shares through the API. */
export function sharesIn(scene: Scene) {
  async function patch(path: string, body: object): Promise<Made> {
    const answer = await scene.client.patch(path, body);
    expect([path, answer.status, answer.body.errors]).toEqual([path, 200, undefined]);
    return answer.body as Made;
  }

  /** Sets all shares to 0 and then to the new values, because their sum must not exceed 100 at any time. */
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
