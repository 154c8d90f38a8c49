import { Name } from '../../presentation/components/text';

/** The errors of a form that would be rejected now, shown instead of its changes. */
export function Problems({ title, problems }: { title: string; problems: readonly string[] }) {
  return (
    <section class="stack" aria-labelledby="changes">
      <h2 id="changes">{title}</h2>
      <ul class="changes">
        {problems.map((problem) => (
          <li key={problem}>
            <Name>{problem}</Name>
          </li>
        ))}
      </ul>
    </section>
  );
}
