import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../../access/route-access';
import { NotFoundError } from '../../common/errors/api-errors';
import type { RawQuery } from '../../common/lists/list-query';
import { Config } from '../../config/config';
import { NOT_INDEXED } from '../../presentation/page-answer';
import { renderCheckoutPage } from './pages/checkout-page';
import { renderHomePage } from './pages/home-page';
import { renderProductPage } from './pages/product-page';
import { findProduct } from './products';
import { SHOP_FILES } from './shop-files';
import { shopPolicy } from './shop-policy';
import { Shop, ShopReader } from './shop-reader';

/** The shop of the demo: a site with the snippet of its project. Without the demo there is none. */
@Public()
@ApiExcludeController()
@Controller('demo')
export class ShopController {
  private readonly headers: Record<string, string>;

  constructor(
    private readonly reader: ShopReader,
    config: Config,
  ) {
    this.headers = {
      ...NOT_INDEXED,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': shopPolicy(config.publicUrl),
    };
  }

  @Get()
  async home(@Res() reply: FastifyReply): Promise<void> {
    this.send(reply, renderHomePage(await this.shop()));
  }

  @Get('products/:slug')
  async product(@Param('slug') slug: string, @Res() reply: FastifyReply): Promise<void> {
    const product = findProduct(slug);
    if (product === undefined) {
      throw new NotFoundError();
    }
    this.send(reply, renderProductPage(await this.shop(), product));
  }

  @Get('checkout')
  async checkout(@Query() { item, bought }: RawQuery, @Res() reply: FastifyReply): Promise<void> {
    this.send(reply, renderCheckoutPage(await this.shop(), findProduct(item), bought !== undefined));
  }

  @Get('shop.css')
  style(@Res() reply: FastifyReply): Promise<void> {
    return this.sendFile(reply, SHOP_FILES.style);
  }

  @Get('shop.js')
  script(@Res() reply: FastifyReply): Promise<void> {
    return this.sendFile(reply, SHOP_FILES.script);
  }

  private async shop(): Promise<Shop> {
    const shop = await this.reader.find();
    if (shop === null) {
      throw new NotFoundError();
    }
    return shop;
  }

  private send(reply: FastifyReply, page: string): void {
    void reply.headers(this.headers).send(page);
  }

  private async sendFile(reply: FastifyReply, { type, text }: { type: string; text: string }): Promise<void> {
    await this.shop();
    void reply.headers({ 'content-type': type }).send(text);
  }
}
