import type { PlanRecord } from '../../experiments/planning/plan.record';
import type { Arguments, Reference } from '../reference';
import { defineTool, Tool } from '../tool';

/** The plan fields that are not in the request. */
const PLAN = {
  participants: true,
  per_variation: true,
  days: true,
  minimum_detectable_effect: true,
  baseline: true,
  daily_visitors: true,
  power: true,
  significance: true,
  method: true,
} as const;

type Plan = Pick<PlanRecord, keyof typeof PLAN>;

interface PlanExperiment extends Arguments {
  minimum_effect: number;
}

export function planningTools(reference: Reference): readonly Tool[] {
  const plans = reference.shape<Plan>('PlanRecord', PLAN);
  return [
    defineTool<PlanExperiment>(reference, {
      name: 'plan_experiment',
      title: 'Plan the sample size',
      description:
        'How many participants and days an experiment needs. Baseline: goal_id (from experiment_id), baseline_rate, or baseline_mean and baseline_sd.',
      effect: 'reads',
      operation: 'planExperiment',
      args: {
        minimum_effect: { description: 'Relative, in percent.' },
        goal_id: { description: undefined },
        experiment_id: { description: undefined },
        baseline_rate: { description: 'Percent.' },
        baseline_mean: { description: undefined },
        baseline_sd: { description: undefined },
        variations: { description: undefined },
        shares: { description: 'The original first.' },
        daily_visitors: { description: undefined },
        power: { description: undefined },
        significance: { description: undefined },
        method: { description: undefined },
      },
      run: async (args, api) => {
        const plan = plans.take((await api.ask(args)).body);
        return { text: sentence(plan, args.minimum_effect), data: { ...plan } };
      },
    }),
  ];
}

function sentence({ participants, days, power, significance, method }: Plan, effect: number): string {
  const time = days === null ? 'Set daily_visitors to compute days' : `About ${days} days`;
  return `${participants} participants in total to detect ${effect} % with ${power} % power at ${significance} % significance (${method}). ${time}.`;
}
