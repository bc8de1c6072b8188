import { ServiceError } from '@lantern-room/base'
import { parseJson } from '@lantern-room/base/bytes'
import { z } from 'zod'
import { EXTRA_PORT_LIMITS, type ExtraPort, readExtraPorts } from '../extraPorts'
import type { HostAdmission } from './players/hostAdmission'
import type { Commands } from './serverCommands'
import { failed, ok } from './wire/commands'

/**
 * A command of this program, of private rooms only; `c:protocols` does not list it. The body proves a guest to be the one that
 * the host has let in. The data is the secret of the network to which the host has moved the room, or empty: while there is
 * none, and for members that are not in the room.
 */
export const NETWORK_COMMAND = 'lantern:network'

const PROOF_SIZE = 32

/**
 * The host's side of `lantern:network`, as an extra command.
 * @param secret of the network to which the room has moved, 32 bytes; undefined while it has not
 * @example const extraCommands = networkCommand(admission, () => connection.secret?.current())
 */
export function networkCommand(
  admission: Pick<HostAdmission, 'prove'>,
  secret: () => Uint8Array | undefined,
): Commands {
  return {
    [NETWORK_COMMAND]: (proof, caller) => {
      if (proof.length !== PROOF_SIZE) return failed(`The proof must have ${PROOF_SIZE} bytes.`)
      return ok(admission.prove(proof, caller) ? secret() : undefined)
    },
  }
}

/**
 * A command of this program: the host's ports beside the world's. `c:protocols` lists it to guests that list it themselves.
 * The data is JSON, `[{"name", "tcp"?, "udp"?}]`.
 */
export const PORTS_COMMAND = 'lantern:ports'

/**
 * The host's side of `lantern:ports`, as an offered command.
 * @example const offeredCommands = portsCommand(() => [{ name: 'voice', tcp: undefined, udp: 24454 }])
 */
export function portsCommand(extraPorts: () => readonly ExtraPort[]): Commands {
  return { [PORTS_COMMAND]: () => ok(encodeExtraPorts(extraPorts())) }
}

export function encodeExtraPorts(ports: readonly ExtraPort[]): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(ports.map(({ name, tcp, udp }) => ({ name, tcp, udp }))))
}

/** @throws ServiceError `invalid-request` when it is no list of ports */
export function decodeExtraPorts(data: Uint8Array): readonly ExtraPort[] {
  const checked = portsWire.safeParse(parseJson(new TextDecoder().decode(data)))
  const ports = checked.success ? readExtraPorts(checked.data) : undefined
  if (ports === undefined) throw new ServiceError('invalid-request', 'It is no list of ports.')
  return ports
}

const port = z.int().min(1).max(65_535).optional()
const portsWire = z.array(z.object({ name: z.string(), tcp: port, udp: port })).max(EXTRA_PORT_LIMITS.ports)
