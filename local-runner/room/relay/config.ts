import { isIP } from 'node:net'
import { ConfigError, type Environment, readSettings } from '@lantern-room/base/settings'

export type RelayConfig = ReturnType<typeof readRelayConfig>

/** The settings of a relay, `ROOM_RELAY_*`. @throws ConfigError naming every bad variable with its allowed values */
export function readRelayConfig(env: Environment) {
  const read = readSettings(env)
  const whole = (name: string, fallback: number, min: number, max: number, unit?: string) =>
    read.integer(name, { fallback, min, max, ...(unit && { unit }) })
  const config = {
    /** The address to listen on; undefined = all. */
    host: read.parsed('ROOM_RELAY_HOST', 'an IPv4 or IPv6 address of this machine; empty for all', (raw) =>
      isIP(raw) ? raw : undefined,
    ),
    /** Shown to members as `PublicServer_<name>`. */
    name:
      read.parsed('ROOM_RELAY_NAME', 'up to 64 letters, digits, and - . _', (raw) =>
        /^[\w.-]{1,64}$/.test(raw) ? raw : undefined,
      ) ?? 'lantern',
    /** 0 = any free port, undefined = no such listener. */
    ports: {
      tcp: port('ROOM_RELAY_TCP_PORT', 11_010),
      udp: port('ROOM_RELAY_UDP_PORT', 11_010),
      ws: port('ROOM_RELAY_WS_PORT', 11_011),
    },
    limits: {
      networks: whole('ROOM_RELAY_MAX_ROOMS', 1000, 1, 100_000),
      membersPerNetwork: whole('ROOM_RELAY_MAX_MEMBERS', 64, 2, 256),
      connectionsPerAddress: whole('ROOM_RELAY_LINKS_PER_ADDRESS', 32, 1, 100_000),
      bytesPerSecond: whole('ROOM_RELAY_BYTES_PER_SECOND', 10_000_000, 10_000, 10_000_000_000, 'of one room'),
      totalBytesPerSecond:
        whole('ROOM_RELAY_TOTAL_BYTES_PER_SECOND', 0, 0, 100_000_000_000, '0 = no limit') || undefined,
    },
    /** Whether networks that are no rooms may use it, too. */
    acceptsOthers: read.flag('ROOM_RELAY_OTHER_NETWORKS', false),
    logLevel: read.logLevel(),
  }
  read.finish()
  // A node that was only for those who know its password must not become one for everyone.
  if (read.text('ROOM_RELAY_PASSWORD') !== undefined) {
    throw new ConfigError([
      'ROOM_RELAY_PASSWORD: without a password this node would be open to everyone, so that it does not start. Leave it unset if it may be.',
    ])
  }
  if (Object.values(config.ports).every((one) => one === undefined)) {
    throw new ConfigError(['ROOM_RELAY_TCP_PORT, _UDP_PORT and _WS_PORT are all 0: one of them is needed.'])
  }
  return config

  function port(name: string, fallback: number): number | undefined {
    const allowed = `a port from 1 to 65535, 0 for none, or "any"; the default is ${fallback}`
    const asked = read.parsed(name, allowed, (raw) => {
      if (raw.toLowerCase() === 'any') return 'any'
      return /^\d{1,5}$/.test(raw) && Number(raw) <= 65_535 ? Number(raw) : undefined
    })
    if (asked === 'any') return 0
    return asked === 0 ? undefined : (asked ?? fallback)
  }
}
