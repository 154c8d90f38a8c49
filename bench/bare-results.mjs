import Fastify from 'fastify';
import { exactSumOf, openStore } from './stores.mjs';

/*
 * The bare counterpart for results: reads the cells with hand-written SQL and returns them as JSON. It does not identify
 * the caller or compute statistics.
 */

const store = openStore(process.env.DATABASE_URL);
const server = Fastify({ logger: false });
const exact = (column) => exactSumOf(process.env.DATABASE_URL, column);

const STATEMENTS = {
  experiment: 'SELECT id, name, status FROM experiments WHERE id = ?',
  settings: `SELECT significance, min_conversions, min_runtime_days, statistics_method, statistics_correction
               FROM projects WHERE id = (SELECT project_id FROM experiments WHERE id = ?)`,
  variations: `SELECT id, name, is_original, traffic_allocation FROM variations WHERE experiment_id = ? ORDER BY id`,
  goals: `SELECT g.id, g.type, g.name, g.api_name, g.value_type, g.direction
            FROM experiment_goals j JOIN goals g ON g.id = j.goal_id WHERE j.experiment_id = ? ORDER BY j.position`,
  runs: 'SELECT started_at, ended_at FROM experiment_runs WHERE experiment_id = ? ORDER BY started_at, id',
  sums: `SELECT c.goal_id, c.variation_id, SUM(c.participants) AS participants, SUM(c.converters) AS converters,
                SUM(c.conversions) AS conversions, ${exact('c.value')} AS value,
                ${exact('c.value_squared')} AS value_squared
           FROM experiment_results r
           JOIN entry_cells c ON c.experiment_id = r.experiment_id AND c.generation = r.generation
          WHERE r.experiment_id = ? GROUP BY c.goal_id, c.variation_id`,
};

server.get('/health/live', async () => ({ status: 'ok' }));

server.get('/api/projects/:project/experiments/:experiment/results', async (request) => {
  const id = Number(request.params.experiment);
  const names = Object.keys(STATEMENTS);
  const rows = await Promise.all(names.map((name) => store.rows(STATEMENTS[name], [id])));
  return Object.fromEntries(names.map((name, index) => [name, rows[index]]));
});

await server.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
process.on('SIGTERM', () => process.exit(0));
