import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { signedInUser } from '../platform/access/actor';
import type { ProjectPlace } from '../platform/access/scope';
import { AccountPages, viewerOf } from '../account/account-pages';
import type { Frame } from '../account/pages/frame';
import type { RawQuery } from '../common/lists/list-query';
import { ProjectsService } from '../projects/projects.service';
import { noticeIn } from './notices';
import type { ProjectPageBase } from './pages/console-page';

/** Sends pages of projects. */
@Injectable()
export class ProjectPages {
  constructor(
    private readonly projects: ProjectsService,
    private readonly pages: AccountPages,
  ) {}

  /** @param content further page data, read concurrently with the project */
  async send<C extends object>(
    reply: FastifyReply,
    place: ProjectPlace,
    content: Promise<C>,
    render: (frame: Frame, page: ProjectPageBase & C) => string,
  ): Promise<void> {
    const { request } = reply;
    const [{ record: project }, read] = await Promise.all([this.projects.show(place), content]);
    const page = { project, role: place.role, notice: noticeIn(request.query as RawQuery), ...read };
    this.pages.send(reply, 200, viewerOf(signedInUser(request)), (frame) => render(frame, page));
  }
}
