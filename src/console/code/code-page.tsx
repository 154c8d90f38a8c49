import type { ComponentChildren } from 'preact';
import type { Frame } from '../../account/pages/frame';
import { Name } from '../../presentation/components/text';
import { renderPage } from '../../presentation/layout';
import type { ExperimentSubject } from '../experiment-subject';
import { codePath, ConsolePage, experimentPagePath, projectPath } from '../pages/console-page';
import { type CodeLine, plainLines, scriptLines } from './highlighting';

/** The code of an experiment and its variations. */
export function renderCodePage(frame: Frame, { project, experiment }: ExperimentSubject): string {
  const crumbs = [
    { path: projectPath(project.id), name: project.name },
    { path: experimentPagePath(project.id, experiment.id), name: experiment.name },
    { path: codePath(project.id, experiment.id), name: 'Code' },
  ];
  return renderPage(
    <ConsolePage frame={frame} title={`Code, ${experiment.name}`} crumbs={crumbs}>
      <h1>Code</h1>
      <Card id="experiment" title="Experiment">
        <Listing title="JavaScript" code={experiment.js} isScript />
        <Listing title="Reset JavaScript" code={experiment.reset_js} isScript />
        <Listing title="CSS" code={experiment.css} />
        {!hasCode([experiment.js, experiment.reset_js, experiment.css]) && <NoCode />}
      </Card>
      {experiment.variations.map(({ id, name, js, css }) => (
        <Card key={id} id={`variation-${id}`} title={<Name>{name}</Name>}>
          <Listing title="JavaScript" code={js} isScript />
          <Listing title="CSS" code={css} />
          {!hasCode([js, css]) && <NoCode />}
        </Card>
      ))}
    </ConsolePage>,
  );
}

const hasCode = (codes: readonly (string | null)[]): boolean => codes.some((code) => (code ?? '') !== '');

const NoCode = () => <p class="muted">No code.</p>;

interface CardProps {
  id: string;
  title: ComponentChildren;
  children: ComponentChildren;
}

function Card({ id, title, children }: CardProps) {
  return (
    <section class="card stack" id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      {children}
    </section>
  );
}

interface ListingProps {
  title: string;
  /** Null or empty if there is no code. */
  code: string | null;
  isScript?: boolean;
}

function Listing({ title, code, isScript = false }: ListingProps) {
  if (code === null || code === '') {
    return null;
  }
  const lines = isScript ? scriptLines(code) : plainLines(code);
  return (
    <div class="listing">
      <h3>{title}</h3>
      <pre class="code" dir="ltr">
        <code>
          {lines.map((line, index) => (
            <Line key={index} line={line} />
          ))}
        </code>
      </pre>
    </div>
  );
}

/** Lines are inline elements, because blocks would add line breaks to copied code. */
function Line({ line }: { line: CodeLine }) {
  return (
    <span class="line">
      {line.map(({ kind, text }, index) =>
        kind === 'plain' ? (
          text
        ) : (
          <span key={index} class={`code-${kind}`}>
            {text}
          </span>
        ),
      )}
      {'\n'}
    </span>
  );
}
