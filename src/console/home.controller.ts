import { Controller, Get, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { SignedIn } from '../access/route-access';
import { AccountPages } from '../account/account-pages';
import { PageErrorFilter } from '../account/page-error.filter';
import { InSession } from '../account/session.guard';
import type { OpenSession } from '../users/sessions';
import { HomeReader } from './home-reader';
import { renderHomePage } from './pages/home-page';

/** The first page of whoever is signed in: their teams and projects. */
@SignedIn()
@ApiExcludeController()
@UseFilters(PageErrorFilter)
@Controller()
export class HomeController {
  constructor(
    private readonly home: HomeReader,
    private readonly pages: AccountPages,
  ) {}

  @Get()
  async show(@InSession() session: OpenSession, @Res() reply: FastifyReply): Promise<void> {
    const teams = await this.home.read(session.userId);
    this.pages.send(reply, 200, { session }, (frame) => renderHomePage(frame, teams));
  }
}
