/** The tone of a verdict, which determines its colour and icon. */
export type Tone = 'better' | 'worse' | 'waiting' | 'nothing' | 'doubt';

/** The verdict for one goal as text, for decision makers. */
export interface VerdictText {
  tone: Tone;
  /** The verdict in one to three words. */
  label: string;
  headline: string;
  /** Further sentences. */
  details: string[];
  /** The progress towards a conclusive result, if there is a forecast. */
  progress: { daysRunning: number; daysLeft: number } | null;
}

/** The context of a verdict, in addition to the goal. */
export interface VerdictContext {
  status: string;
  /** Whether the figures cover all days, which a forecast needs. */
  isWholeTime: boolean;
}
