import { Module } from '@nestjs/common';
import { VariationsModule } from '../../variations/variations.module';
import { ShopController } from './shop.controller';
import { ShopReader } from './shop-reader';

@Module({ imports: [VariationsModule], controllers: [ShopController], providers: [ShopReader] })
export class ShopModule {}
