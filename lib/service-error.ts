/** What a service beyond the cluster (Slack, GitHub, a webhook) did not do, and why. */

/** It was not done: `reason` is a condition's, the message is for a person. */
export class ServiceError extends Error {
  override name = 'ServiceError';
  readonly reason: string;
  /** Whether it may work by itself later. */
  readonly passes: boolean;
  readonly retryAfterSeconds: number | undefined;

  constructor(reason: string, message: string, more: { passes: boolean; retryAfterSeconds?: number | undefined }) {
    super(message);
    this.reason = reason;
    this.passes = more.passes;
    this.retryAfterSeconds = more.retryAfterSeconds;
  }
}
