import { loadConfig } from './src/config/config';
import { createWriter } from './src/database/data-source';
import { entities } from './src/entities';

/** The data source of the TypeORM command line: `npx typeorm migration:show -d dist/ormconfig.js`. */
export default createWriter(loadConfig(process.env).database, entities);
