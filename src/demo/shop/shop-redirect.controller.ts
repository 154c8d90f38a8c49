import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../platform/access/route-access';
import { NotFoundError } from '../../common/errors/api-errors';
import { SHOP_ALIAS } from '../demo-items';
import { ShopListener } from './shop-listener';
import { ShopStore } from './shop.store';

const AFTER_ALIAS = new RegExp(`^${SHOP_ALIAS}/?(.*)$`);

/**
 * Redirects from the console's origin to the shop. The shop is not served here, because its pages run experiment code,
 * which must not run on the origin of the sessions.
 */
@Public()
@ApiExcludeController()
@Controller('demo')
export class ShopRedirectController {
  constructor(
    private readonly reader: ShopStore,
    private readonly listener: ShopListener,
  ) {}

  @Get()
  home(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.redirect(request, reply);
  }

  @Get('*')
  page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.redirect(request, reply);
  }

  private async redirect({ url }: FastifyRequest, reply: FastifyReply): Promise<void> {
    const rest = AFTER_ALIAS.exec(url)?.[1];
    const shop = rest === undefined || !(await this.reader.exists()) ? null : this.listener.url;
    if (shop === null) {
      throw new NotFoundError();
    }
    void reply
      .status(302)
      .headers({ location: `${shop}/${rest}`, 'cache-control': 'no-store' })
      .send();
  }
}
