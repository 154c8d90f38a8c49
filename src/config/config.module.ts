import { DynamicModule, Module } from '@nestjs/common';
import { Config } from './config';

@Module({})
export class ConfigModule {
  /** Makes the given configuration injectable everywhere. */
  static forRoot(config: Config): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: [{ provide: Config, useValue: config }],
      exports: [Config],
    };
  }
}
