import type { Made, Scene } from './scene';

/** Creates a running experiment with one guardrail that pauses it when tripped. */
export const guardedIn =
  (scene: Scene) =>
  async (fields: object = {}, goalFields: object = {}): Promise<[experiment: Made, guardrail: Made]> => {
    const guardrail = await scene.make.goal({ name: 'Refund asked', ...goalFields });
    const experiment = await scene.make.withStatus('running', {
      guardrails: [guardrail.id],
      guardrail_action: 'pause',
      ...fields,
    });
    return [experiment, guardrail];
  };
