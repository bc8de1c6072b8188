import { ServiceError } from '#core/errors'
import {
  COMMANDS,
  type CommandName,
  decodePlayer,
  encodePort,
  encodeProfiles,
  encodeProtocols,
  failed,
  ok,
  STATUS,
} from './commands'
import type { RequestFrame, ResponseFrame } from './frames'
import { type HostIdentity, IDENTITY_COMMAND } from './identity'
import type { PlayerRegistry } from './registry'

/** @throws ServiceError; its detail is sent to the guest with status 255 */
export type Command = (body: Uint8Array) => ResponseFrame

/** By kind, `namespace:value`. */
export type Commands = Readonly<Record<string, Command>>

export type CommandDependencies = {
  readonly registry: PlayerRegistry
  /** undefined while no game runs */
  readonly gamePort: () => number | undefined
}

/** The five commands of the contract, on the host's side. Commands without a body ignore what is sent. */
export function createCommands({ registry, gamePort }: CommandDependencies): Record<CommandName, Command> {
  const protocols = encodeProtocols(COMMANDS)
  return {
    'c:ping': (body) =>
      body.length <= MAX_ECHO ? ok(body) : failed(`At most ${MAX_ECHO} bytes are echoed.`),
    'c:protocols': () => ok(protocols),
    'c:server_port': () => {
      const port = gamePort()
      return port === undefined
        ? { status: STATUS.notStarted, data: new Uint8Array(0) }
        : ok(encodePort(port))
    },
    'c:player_ping': (body) => {
      registry.ping(decodePlayer(body))
      return ok()
    },
    'c:player_profiles_list': () => ok(encodeProfiles(registry.list())),
  }
}

/** The host's side of `lantern:identity`, as an extra command. */
export function identityCommand(identity: HostIdentity): Commands {
  return {
    [IDENTITY_COMMAND]: (nonce) => {
      const proof = identity.prove(nonce)
      return proof ? ok(proof) : failed('The nonce must have 32 bytes.')
    },
  }
}

/**
 * Answers one request; an invalid one with status 255 and a text.
 * @param onDefect called with an unexpected error, which is answered with a fixed text
 */
export function createDispatcher(
  commands: ReadonlyMap<string, Command>,
  onDefect: (error: unknown, kind: string) => void,
): (request: RequestFrame) => ResponseFrame {
  return ({ kind, body }) => {
    const command = commands.get(kind)
    if (!command)
      return failed(KIND.test(kind) ? `Unknown command ${kind}.` : 'The kind is not namespace:value.')
    try {
      return command(body)
    } catch (error) {
      if (error instanceof ServiceError) return failed(error.detail)
      onDefect(error, kind)
      return failed('The command failed.')
    }
  }
}

const MAX_ECHO = 31
const KIND = /^[a-z0-9_]+:[a-z0-9_]+$/
