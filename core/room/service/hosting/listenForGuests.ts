import { onAbort } from '#core/async/onAbort'
import type { ByteStream } from '#core/byteStream'
import { ServiceError } from '#core/errors'
import { RoomFailure } from '../../failure'
import type { LocalNet } from '../../ports'
import { THIS_MACHINE } from '../../roomNetwork'
import type { Attempt } from '../state/attempt'
import type { HostServer } from './hostServer'

/**
 * Serves the room protocol to programs of this machine.
 * @param first the port to try before the ones after it, and these before any free one
 * @returns the port
 * @throws RoomFailure `port-in-use`
 */
export async function listenForGuests(
  { server }: HostServer,
  first: number,
  options: {
    readonly attempt: Attempt
    readonly localNet: LocalNet
    /** Ports that are to be shared, so that they must stay free for their programs. */
    readonly avoided: readonly (number | undefined)[]
    /** Called with the port; with undefined when it no longer listens. */
    readonly onRoomPort: (port: number | undefined) => void
  },
): Promise<number> {
  const { attempt, localNet, avoided, onRoomPort } = options
  const { signal } = attempt
  const ports = portsToTry(first).filter((port) => !avoided.includes(port))
  const serve = (stream: ByteStream) => attempt.hold(server.serve(stream, THIS_MACHINE))
  try {
    const { port, closed } = await localNet.listen(ports, serve, signal)
    attempt.hold(closed)
    onRoomPort(port)
    onAbort(signal, () => onRoomPort(undefined))
    return port
  } catch (cause) {
    if (!(cause instanceof ServiceError)) throw cause
    throw new RoomFailure('port-in-use', `The room protocol cannot listen: ${cause.detail}`, { cause })
  }
}

/** How many ports from the configured one on are tried before any free one. */
const PORTS_TRIED = 20

function portsToTry(first: number): readonly number[] {
  const next = Array.from({ length: PORTS_TRIED }, (_, at) => first + at)
  return [...next.filter((port) => port <= 65_535), 0]
}
