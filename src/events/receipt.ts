import type { Rejection } from './messages';

export interface RejectedMessage {
  index: number;
  reason: Rejection;
}

/** What became of the messages of a delivery. */
export interface Receipt {
  accepted: number;
  rejected: RejectedMessage[];
}
