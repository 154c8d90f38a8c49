/** Publishing takes no fields. */
// eslint-disable-next-line @typescript-eslint/no-extraneous-class -- bodies are described by classes, also empty ones
export class PublishProject {
  static readonly example = {};
}
