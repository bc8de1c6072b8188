/** Whom a request comes from, as far as the service has to tell clients apart. */
export type Client = {
  /** Clients with the same id share one turn in the queue. */
  readonly id: string
  /** How many of its jobs run at a time; undefined = no limit of its own. */
  readonly maxJobs?: number | undefined
  /** Largest upload in bytes; undefined = the service's own limit. */
  readonly maxUploadBytes?: number | undefined
}

/** A request's client, and the signal that aborts when it disconnects or the host ends the request. */
export type Caller = { readonly client: Client; readonly signal: AbortSignal }

/** @param bytes the service's own limit */
export function uploadLimitOf(client: Client, bytes: number): number {
  return Math.min(bytes, client.maxUploadBytes ?? bytes)
}
