import type { ComponentChildren } from 'preact';
import { Frame, FramedPage } from '../../account/pages/frame';
import { Name } from '../../presentation/components/text';
import { plainName } from '../../presentation/text/names';

/** A breadcrumb. */
export interface Crumb {
  /** Path below the first page; empty for the first page. */
  path: string;
  name: string;
}

interface ConsolePageProps {
  frame: Frame;
  title: string;
  prefix?: string;
  /** From the first page to this one; empty on the first page. */
  crumbs?: readonly Crumb[];
  children: ComponentChildren;
}

/** A page of the console. */
export function ConsolePage({ frame, title, prefix, crumbs = [], children }: ConsolePageProps) {
  return (
    <FramedPage frame={frame} title={plainName(title)} prefix={prefix} section="experiments">
      {crumbs.length > 0 && <Crumbs frame={frame} crumbs={crumbs} />}
      <main class="console">{children}</main>
    </FramedPage>
  );
}

function Crumbs({ frame, crumbs }: { frame: Frame; crumbs: readonly Crumb[] }) {
  return (
    <nav class="crumbs small" aria-label="Where this page is">
      <ol>
        <li>
          <a href={`${frame.base}/`}>Experiments</a>
        </li>
        {crumbs.map(({ path, name }, index) => (
          <li key={path}>
            <a href={`${frame.base}${path}`} aria-current={index === crumbs.length - 1 ? 'page' : undefined}>
              <Name>{name}</Name>
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** The path of a project's page. */
export const projectPath = (projectId: number): string => `/projects/${projectId}`;

/** The path of the page with a project's last messages. */
export const liveEventsPath = (projectId: number): string => `${projectPath(projectId)}/live-events`;

/** The path of an experiment's page. */
export const experimentPagePath = (projectId: number, experimentId: number): string =>
  `${projectPath(projectId)}/experiments/${experimentId}`;
