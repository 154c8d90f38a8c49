import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config';
import { Database } from '../../database/database';
import type { ExperimentStatus } from '../../experiments/experiment-status';
import { shareUrl } from '../../experiments/share-tokens.service';
import { PreviewLinks } from '../../variations/preview-links';
import { SHOWN_EXPERIMENT } from '../demo-experiments';
import { ADMIN, PROJECT, TEAM } from '../demo-items';

/** What the pages of the shop have to know of the demo. */
export interface Shop {
  /** Address of the project's snippet. */
  snippetUrl: string;
  /** The experiment that runs in the shop; null when it was deleted. */
  experiment: ShownExperiment | null;
}

export interface ShownExperiment {
  name: string;
  /** Where its results are shown. */
  resultsUrl: string;
  /** Links that show a variation to whoever follows them. */
  previews: { name: string; url: string }[];
}

interface ProjectRow {
  id: number;
  client_key: string;
}

interface ExperimentRow {
  id: number;
  name: string;
  status: ExperimentStatus;
  share_token: string;
  example_url: string | null;
}

/** Looks up whether there is a demo, and what is in it now. */
@Injectable()
export class ShopReader {
  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly previews: PreviewLinks,
  ) {}

  /** Null when there is no demo: its project is in a team of its name that has its administrator. */
  async find(): Promise<Shop | null> {
    const [project] = await this.select<ProjectRow>(
      `SELECT p.id, p.client_key FROM projects p
         JOIN teams t ON t.id = p.team_id AND t.name = ?
         JOIN memberships m ON m.team_id = t.id
         JOIN users u ON u.id = m.user_id AND u.email = ?
        WHERE p.name = ? AND p.deleted_at IS NULL ORDER BY t.id, p.id LIMIT 1`,
      [TEAM, ADMIN, PROJECT],
    );
    return project === undefined
      ? null
      : {
          snippetUrl: `${this.config.publicUrl}/s/${project.client_key}.js`,
          experiment: await this.findExperiment(project.id),
        };
  }

  private async findExperiment(projectId: number): Promise<ShownExperiment | null> {
    const [experiment] = await this.select<ExperimentRow>(
      `SELECT id, name, status, share_token, example_url FROM experiments
        WHERE project_id = ? AND name = ? AND deleted_at IS NULL ORDER BY id LIMIT 1`,
      [projectId, SHOWN_EXPERIMENT],
    );
    return experiment === undefined
      ? null
      : {
          name: experiment.name,
          resultsUrl: shareUrl(this.config.publicUrl, experiment.share_token),
          previews: await this.previewsOf(experiment),
        };
  }

  /** There are none of an experiment that is over. */
  private async previewsOf({ id, status, example_url }: ExperimentRow): Promise<ShownExperiment['previews']> {
    const variations = await this.select<{ id: number; name: string }>(
      'SELECT id, name FROM variations WHERE experiment_id = ? ORDER BY id',
      [status === 'archive' ? 0 : id],
    );
    return variations.flatMap((variation) => {
      const url = this.previews.urlFor(example_url, variation.id);
      return url === null ? [] : [{ name: variation.name, url }];
    });
  }

  private select<T>(sql: string, parameters: (string | number)[]): Promise<T[]> {
    return this.database.read.query(sql, parameters);
  }
}
