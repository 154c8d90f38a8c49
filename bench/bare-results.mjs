import Fastify from 'fastify';
import { openStore } from './stores.mjs';

/* What results are compared with: the sums of the same cells, by hand-written SQL in a bare handler, as JSON. */

const store = openStore(process.env.DATABASE_URL);
const sum = process.env.DATABASE_URL.startsWith('sqlite:') ? 'exact_sum' : 'SUM';
const server = Fastify({ logger: false });

server.get('/health/live', async () => ({ status: 'ok' }));

server.get('/api/projects/:project/experiments/:experiment/results', (request) =>
  store.rows(
    `SELECT c.goal_id, c.variation_id, SUM(c.participants) AS participants, SUM(c.converters) AS converters,
            SUM(c.conversions) AS conversions, ${sum}(c.value) AS value, ${sum}(c.value_squared) AS value_squared
       FROM experiment_results r
       JOIN result_cells c ON c.experiment_id = r.experiment_id AND c.generation = r.generation
      WHERE r.experiment_id = ? GROUP BY c.goal_id, c.variation_id`,
    [Number(request.params.experiment)],
  ),
);

await server.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
process.on('SIGTERM', () => process.exit(0));
