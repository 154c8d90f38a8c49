/**
 * A conversion of a goal that is named by its id, whatever its type. The server makes these of what other routes than
 * collection receive; no message that came as JSON is one.
 */
export class GoalConversion {
  constructor(
    readonly visitorId: string,
    readonly messageId: string,
    readonly goalId: number,
    /** The type that the caller takes the goal to have; null when it does not say. */
    readonly type: string | null,
    readonly value: unknown,
    readonly device: { type?: string; userAgent: string },
  ) {}
}
