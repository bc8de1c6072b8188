import { once } from 'node:events'
import type { Server } from 'node:net'
import { ServiceError } from '@lantern-room/base'

export type ListenAddress = {
  readonly host: string
  readonly port: number
  /** Name of the setting that chooses the port, for the error. */
  readonly name: string
  /**
   * How many following ports are tried when the port is in use or reserved, before any free one; without it that is an
   * error.
   */
  readonly fallback?: number
}

/** In use, or reserved: Windows refuses with EACCES what Hyper-V, WSL or Docker have set aside, in ranges of a hundred ports. */
const GIVES_WAY: ReadonlySet<string> = new Set(['EADDRINUSE', 'EACCES'])

/**
 * Has the server listen on the port, or on one of the following ports where that is allowed.
 * @throws ServiceError `unavailable` in one sentence that names the port that was wanted
 */
export async function bindPort(server: Server, at: ListenAddress): Promise<void> {
  for (const port of candidates(at)) {
    server.listen(port, at.host)
    const cause = await once(server, 'listening').catch((error: NodeJS.ErrnoException) => error)
    if (!(cause instanceof Error)) return
    const isLast = at.fallback === undefined || port === 0
    if (isLast || !GIVES_WAY.has(cause.code ?? '')) throw cannotListen(at, cause)
  }
}

function candidates({ port, fallback }: ListenAddress): readonly number[] {
  if (fallback === undefined) return [port]
  const next = Array.from({ length: fallback }, (_, step) => port + 1 + step)
  return [port, ...next.filter((one) => one < 65_536), 0]
}

function cannotListen({ host, port, name }: ListenAddress, cause: NodeJS.ErrnoException): ServiceError {
  const sentences: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host} is in use by another program. Stop that program, or set ${name} to another port.`,
    EACCES: `Port ${port} on ${host} is reserved by the system or may not be used by this user. Set ${name} to another port above 1023.`,
    EADDRNOTAVAIL: `This machine has no address ${host}. Set the host to 127.0.0.1 or 0.0.0.0.`,
    ENOTFOUND: `The host name ${host} is not known. Set the host to 127.0.0.1 or 0.0.0.0.`,
  }
  const sentence = sentences[cause.code ?? ''] ?? `Port ${port} on ${host} cannot be used (${cause.code}).`
  return new ServiceError('unavailable', sentence, { cause })
}
