import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config';
import { Database } from '../../database/database';
import type { ExperimentStatus } from '../../experiments/experiment-status';
import { shownLink } from '../../experiments/share-link.record';
import { PreviewLinks } from '../../experiments/variations/preview-links';
import { SHOWN_EXPERIMENT } from '../demo-experiments';
import { ADMIN, PROJECT, TEAM } from '../demo-items';

/** The demo data for the shop's pages. */
export interface Shop {
  /** The URL of the project's snippet. */
  snippetUrl: string;
  /** The running experiment; null if it was deleted. */
  experiment: ShownExperiment | null;
}

export interface ShownExperiment {
  name: string;
  /** The share link of the results; null if they are not shared. */
  resultsUrl: string | null;
  /** Preview links of the variations. */
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
  shared: number | boolean;
  share_token: string;
  example_url: string | null;
  preview_version: number;
}

/** Reads the demo data for the shop. */
@Injectable()
export class ShopStore {
  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly previews: PreviewLinks,
  ) {}

  /**
   * The demo data; null if there is none. The demo project is in the team that has the demo's name and its
   * administrator.
   */
  async find(): Promise<Shop | null> {
    const project = await this.findProject();
    return project === undefined
      ? null
      : {
          snippetUrl: `${this.config.publicUrl}/s/${project.client_key}.js`,
          experiment: await this.findExperiment(project.id),
        };
  }

  /** Whether there is demo data. */
  async exists(): Promise<boolean> {
    return (await this.findProject()) !== undefined;
  }

  private async findProject(): Promise<ProjectRow | undefined> {
    const [project] = await this.select<ProjectRow>(
      `SELECT p.id, p.client_key FROM projects p
         JOIN teams t ON t.id = p.team_id AND t.name = ?
         JOIN memberships m ON m.team_id = t.id
         JOIN users u ON u.id = m.user_id AND u.email = ?
        WHERE p.name = ? AND p.deleted_at IS NULL ORDER BY t.created_at, t.id, p.created_at, p.id LIMIT 1`,
      [TEAM, ADMIN, PROJECT],
    );
    return project;
  }

  private async findExperiment(projectId: number): Promise<ShownExperiment | null> {
    const [experiment] = await this.select<ExperimentRow>(
      `SELECT id, name, status, shared, share_token, example_url, preview_version FROM experiments
        WHERE project_id = ? AND name = ? AND deleted_at IS NULL ORDER BY created_at, id LIMIT 1`,
      [projectId, SHOWN_EXPERIMENT],
    );
    return experiment === undefined
      ? null
      : {
          name: experiment.name,
          resultsUrl: shownLink(this.config.publicUrl, { ...experiment, shared: Boolean(experiment.shared) })
            .share_url,
          previews: await this.previewsOf(experiment),
        };
  }

  /** The preview links; none if the experiment is archived. */
  private async previewsOf(experiment: ExperimentRow): Promise<ShownExperiment['previews']> {
    const variations = await this.select<{ id: number; name: string }>(
      'SELECT id, name FROM variations WHERE experiment_id = ? ORDER BY id',
      [experiment.status === 'archive' ? 0 : experiment.id],
    );
    return variations.flatMap((variation) => {
      const url = this.previews.urlFor(experiment, variation.id);
      return url === null ? [] : [{ name: variation.name, url }];
    });
  }

  private select<T>(sql: string, parameters: (string | number)[]): Promise<T[]> {
    return this.database.read.query(sql, parameters);
  }
}
