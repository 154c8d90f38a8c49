/**
 * A conversion of a goal that is identified by id, of any type. The server creates these for routes other than
 * collection; they are never parsed from JSON messages.
 */
export class GoalConversion {
  constructor(
    readonly visitorId: string,
    readonly messageId: string,
    readonly goalId: number,
    /** The goal type that the caller expects; null if not given. */
    readonly type: string | null,
    readonly value: unknown,
    readonly device: { type?: string; userAgent: string },
  ) {}
}
