import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Can, InProject } from '../platform/access/route-access';
import { InScope, ProjectScope } from '../platform/access/scope';
import type { Shown } from '../common/http/answers';
import { ActionOperation } from '../common/openapi/operations';
import { Submission, Submitted } from '../common/validation/submission';
import { RotateShare } from '../experiments/experiment.dto';
import { experimentPath } from '../experiments/experiment.store';
import { DryRunShareLinkRecord, ShareLinkRecord } from '../experiments/share-link.record';
import { ShareTokensService } from '../experiments/share-tokens.service';

const DESCRIPTION = `
Replaces the share link. From then on, the old link and its images return 404. An experiment that is not
shared also gets a new token, but its link does not work until \`shared\` is true. To disable the link without creating a
new one, update the experiment with \`shared: false\`.
`.trim();

@ApiTags('Results')
@Controller('projects/:project/experiments/:experiment/results/share')
@InProject({ collection: 'experiments', items: [experimentPath] })
export class ShareLinksController {
  constructor(private readonly links: ShareTokensService) {}

  @Post('rotate')
  @HttpCode(200)
  @Can('definitions:write')
  @ActionOperation(
    ShareLinkRecord,
    RotateShare,
    { id: 'rotateShareLink', summary: 'Rotate the share link of an experiment', description: DESCRIPTION },
    { dryRun: DryRunShareLinkRecord },
  )
  rotate(
    @InScope() scope: ProjectScope,
    @Submitted(RotateShare) submission: Submission<RotateShare>,
  ): Promise<Shown<ShareLinkRecord>> {
    return this.links.rotate(scope, submission);
  }
}
