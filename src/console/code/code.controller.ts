import { Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { SignedInUser } from '../../platform/access/actor';
import { InProject, SignedIn } from '../../platform/access/route-access';
import { InPlace, ProjectPlace } from '../../platform/access/scope';
import { AccountPages } from '../../account/account-pages';
import { PageController } from '../../account/page-controller';
import { InSession } from '../../account/session.guard';
import { experimentPath } from '../../experiments/experiment.store';
import { ExperimentSubjects } from '../experiment-subject';
import { renderCodePage } from './code-page';

/** The page with the code of an experiment and its variations. */
@SignedIn()
@InProject({ collection: 'experiments', items: [experimentPath] })
@PageController('projects/:project/experiments/:experiment')
export class CodeController {
  constructor(
    private readonly subjects: ExperimentSubjects,
    private readonly pages: AccountPages,
  ) {}

  @Get('code/')
  async show(
    @InSession() session: SignedInUser,
    @InPlace() place: ProjectPlace,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const subject = await this.subjects.read(place);
    this.pages.send(reply, 200, { session }, (frame) => renderCodePage(frame, subject));
  }
}
