/** One reason why a submitted value is refused. */
export interface Failure {
  /** Dotted path of the wrong part, relative to the value that was checked; '' for the value itself. */
  path: string;
  /** A sentence a person can act on, without the path. */
  message: string;
}
