import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Can, InProject } from '../../platform/access/route-access';
import { InScope, ProjectScope } from '../../platform/access/scope';
import { CalculationOperation } from '../../common/openapi/operations';
import { Submission, Submitted } from '../../common/validation/submission';
import { PlanExperiment, PlanRecord } from './plan.record';
import { PlanningService } from './planning.service';

@ApiTags('Experiments')
@Controller('projects/:project')
@InProject({ collection: 'record', items: [] })
export class PlanController {
  constructor(private readonly planning: PlanningService) {}

  @Post('plan')
  @HttpCode(200)
  @Can('read', { ability: 'read' })
  @CalculationOperation(PlanRecord, PlanExperiment, {
    id: 'planExperiment',
    summary: 'Plan the sample size of an experiment',
    description: `Calculates how many participants and days an experiment needs to detect an effect, and which effect it detects
after 7, 14, 21 and 28 days. Stores nothing.

The sample size is that of a fixed-horizon test (R \`power.prop.test\`; for values, the normal approximation of \`power.t.test\`) for
the original and the variation with the smallest share, multiplied by the cost of daily looks for the methods \`sequential\`
and \`planned\`. For \`bayesian\`, the test is one-sided, and the project's \`uplift_prior\` applies. It applies to a single comparison, without a correction for multiple comparisons. To use the result as an
experiment's plan, copy \`participants\` to its \`planned_participants\`.`,
  })
  plan(
    @InScope() scope: ProjectScope,
    @Submitted(PlanExperiment) submission: Submission<PlanExperiment>,
  ): Promise<PlanRecord> {
    return this.planning.plan(scope.projectId, submission);
  }
}
