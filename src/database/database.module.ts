import { DynamicModule, Module } from '@nestjs/common';
import { Database } from './database';

@Module({})
export class DatabaseModule {
  /** Provides an open database to all modules. The database is closed when the application stops. */
  static forRoot(database: Database): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      providers: [{ provide: Database, useFactory: () => database }],
      exports: [Database],
    };
  }
}
