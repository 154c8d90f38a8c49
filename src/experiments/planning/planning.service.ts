import { Injectable } from '@nestjs/common';
import type { Failures } from '../../common/validation/failures';
import type { Submission } from '../../common/validation/submission';
import type { ProjectRecord } from '../../projects/project.record';
import { ProjectsService } from '../../projects/projects.service';
import type { ProjectSettingsRecord } from '../../projects/settings/project-settings.record';
import { ProjectSettingsService } from '../../projects/settings/project-settings.service';
import { type Baseline, planExperiment, PlanRequest } from '../../statistics/plan';
import { alphaOf } from '../../statistics/multiple-testing';
import { Baselines, FoundBaseline } from './baselines';
import {
  type BaselineRecord,
  DEFAULT_POWER,
  DEFAULT_SHARES,
  PlanExperiment,
  type PlanRecord,
} from './plan.record';

/** Plans experiments according to the project's rules. */
@Injectable()
export class PlanningService {
  constructor(
    private readonly projects: ProjectsService,
    private readonly settings: ProjectSettingsService,
    private readonly baselines: Baselines,
  ) {}

  /** @throws ValidationError for an impossible plan */
  async plan(projectId: number, submission: Submission<PlanExperiment>): Promise<PlanRecord> {
    const failures = submission.failures();
    const { record: project } = await this.projects.show({ projectId });
    const { record: settings } = await this.settings.show({ projectId });
    checkShares(submission.fields, failures);
    const found = await this.baselines.find(projectId, submission.fields, failures);
    const rules = { ...project, uplift_prior: settings.uplift_prior };
    const plan = found === null || failures.any ? null : planned(rules, submission.fields, found, failures);
    failures.throwIfAny();
    if (plan === null) {
      throw new Error('The request was neither planned nor rejected.');
    }
    return plan;
  }
}

function checkShares({ shares, variations }: Partial<PlanExperiment>, failures: Failures): void {
  if (shares !== undefined && variations != null && !failures.has('variations')) {
    failures.add('variations', 'Send variations or shares, not both.');
  }
}

/** The plan. If the effect is impossible, adds the reason to `failures` and returns null. */
function planned(
  project: ProjectRecord & Pick<ProjectSettingsRecord, 'uplift_prior'>,
  fields: Partial<PlanExperiment>,
  found: FoundBaseline,
  failures: Failures,
): PlanRecord | null {
  const chosen = {
    minimum_effect: fields.minimum_effect ?? 0,
    shares: sharesOf(fields),
    power: fields.power ?? DEFAULT_POWER,
    significance: fields.significance ?? project.significance,
    method: fields.method ?? project.statistics_method,
    daily_visitors: fields.daily_visitors ?? found.source?.dailyParticipants ?? null,
  };
  const request: PlanRequest = {
    baseline: found.baseline,
    minimumEffect: chosen.minimum_effect / 100,
    shares: chosen.shares,
    power: chosen.power / 100,
    alpha: alphaOf(chosen.significance),
    method: chosen.method,
    upliftPrior: project.uplift_prior === null ? null : project.uplift_prior / 100,
    dailyParticipants: chosen.daily_visitors,
    minRuntimeDays: project.min_runtime_days,
  };
  const answer = planExperiment(request);
  if (answer === null) {
    failures.add('minimum_effect', impossibleEffect(found.baseline, chosen.minimum_effect));
    return null;
  }
  if (!Number.isSafeInteger(answer.participants)) {
    failures.add(...tooManyParticipants(request));
    return null;
  }
  return {
    participants: answer.participants,
    per_variation: answer.perVariation,
    days: answer.days,
    minimum_detectable_effect: answer.minimumDetectableEffect.map(({ day, effect }) => ({
      day,
      effect: effect === null ? null : 100 * effect,
    })),
    baseline: toBaselineRecord(found),
    ...chosen,
  };
}

/** Blames the shares if the same plan with equal shares is possible. */
function tooManyParticipants(request: PlanRequest): [field: string, message: string] {
  const equal = planExperiment({ ...request, shares: request.shares.map(() => 1) });
  return equal !== null && Number.isSafeInteger(equal.participants)
    ? ['shares', 'The shares are too unequal: the plan needs too many participants.']
    : ['minimum_effect', 'The effect is too small: detecting it needs too many participants.'];
}

const sharesOf = ({ shares, variations }: Partial<PlanExperiment>): number[] =>
  variations == null ? [...(shares ?? DEFAULT_SHARES)] : Array.from({ length: variations }, () => 1);

function impossibleEffect(baseline: Baseline, effect: number): string {
  const rate = 'rate' in baseline ? 100 * baseline.rate : NaN;
  const changed = Number((rate * (1 + effect / 100)).toPrecision(6));
  return `A conversion rate of ${Number(rate.toPrecision(6))} % that changes by ${effect} % would be ${changed} %, which is not between 0 and 100 %.`;
}

function toBaselineRecord({ baseline, source }: FoundBaseline): BaselineRecord {
  return {
    conversion_rate: 'rate' in baseline ? 100 * baseline.rate : null,
    mean: 'rate' in baseline ? null : baseline.mean,
    standard_deviation: 'rate' in baseline ? null : baseline.deviation,
    experiment_id: source?.experimentId ?? null,
    participants: source?.participants ?? null,
  };
}
