import { plainName } from '../text/names';

/** A name that somebody chose: in its own direction, broken where it is too long for its place. */
export function Name({ children }: { children: string }) {
  return <bdi class="name">{plainName(children)}</bdi>;
}
