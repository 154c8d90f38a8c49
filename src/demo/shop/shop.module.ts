import { Module } from '@nestjs/common';
import { VariationsModule } from '../../experiments/variations/variations.module';
import { ShopListener } from './shop-listener';
import { ShopStore } from './shop.store';
import { ShopRedirectController } from './shop-redirect.controller';

@Module({
  imports: [VariationsModule],
  controllers: [ShopRedirectController],
  providers: [ShopListener, ShopStore],
})
export class ShopModule {}
