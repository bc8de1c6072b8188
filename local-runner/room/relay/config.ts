import { parseIpv4, parseIpv6 } from '#core/easytier/wire/addresses'
import { ConfigError, type Environment, readSettings } from '#core/environment'
import type { LogLevel } from '#core/log'

/** The settings of a shared node. */
export type RelayConfig = {
  /** The address to listen on; undefined = all. */
  readonly host: string | undefined
  /** Shown to members as `PublicServer_<name>`. */
  readonly name: string
  /** 0 = any free port, undefined = no such listener. */
  readonly ports: {
    readonly tcp: number | undefined
    readonly udp: number | undefined
    readonly ws: number | undefined
  }
  readonly limits: {
    readonly networks: number
    readonly membersPerNetwork: number
    readonly connectionsPerAddress: number
    /** Undefined = no limit. */
    readonly addressBytesPerSecond: number | undefined
    /** Of one room. */
    readonly bytesPerSecond: number
    /** Of all rooms; undefined = no limit. */
    readonly totalBytesPerSecond: number | undefined
  }
  /** Bytes a month, and the folder where they are counted (undefined = the system's); undefined = no quota. */
  readonly quota: { readonly bytes: number; readonly dataDir: string | undefined } | undefined
  /** The path of the ws port at which it is served, and nowhere else; undefined = for everyone. */
  readonly password: string | undefined
  /** Files of PEM; the ws port serves wss then. Undefined = ws. */
  readonly certificate: { readonly certFile: string; readonly keyFile: string } | undefined
  /** Whether networks that are no rooms may use it, too. */
  readonly acceptsOthers: boolean
  /** Of 127.0.0.1, for `/metrics` and `/health`; 0 = any free one, undefined = none. */
  readonly metricsPort: number | undefined
  readonly logLevel: LogLevel
}

/** The settings of a relay, `ROOM_RELAY_*`. @throws ConfigError naming every bad variable with its allowed values */
export function readRelayConfig(env: Environment): RelayConfig {
  const read = readSettings(env)
  const whole = (name: string, fallback: number, min: number, max: number, unit?: string) =>
    read.integer(name, { fallback, min, max, ...(unit && { unit }) })
  const monthlyBytes = whole('ROOM_RELAY_MONTHLY_BYTES', 0, 0, 1_000_000_000_000_000, '0 = no limit')
  const dataDir = read.text('DATA_DIR')
  const password = read.parsed('ROOM_RELAY_PASSWORD', '16 to 128 letters, digits, and - . _ ~', (raw) =>
    /^[\w.~-]{16,128}$/.test(raw) ? raw : undefined,
  )
  // A password is a path, which tcp and udp do not have.
  const defaultPort = password === undefined ? 11_010 : undefined
  const certFile = read.text('ROOM_RELAY_TLS_CERT')
  const keyFile = read.text('ROOM_RELAY_TLS_KEY')
  const config: RelayConfig = {
    host: read.parsed('ROOM_RELAY_HOST', 'an IPv4 or IPv6 address of this machine; empty for all', parseHost),
    name:
      read.parsed('ROOM_RELAY_NAME', 'up to 64 letters, digits, and - . _', (raw) =>
        /^[\w.-]{1,64}$/.test(raw) ? raw : undefined,
      ) ?? 'lantern',
    ports: {
      tcp: port('ROOM_RELAY_TCP_PORT', defaultPort),
      udp: port('ROOM_RELAY_UDP_PORT', defaultPort),
      ws: port('ROOM_RELAY_WS_PORT', 11_011),
    },
    limits: {
      networks: whole('ROOM_RELAY_MAX_ROOMS', 1000, 1, 100_000),
      membersPerNetwork: whole('ROOM_RELAY_MAX_MEMBERS', 64, 2, 256),
      connectionsPerAddress: whole('ROOM_RELAY_LINKS_PER_ADDRESS', 32, 1, 100_000),
      addressBytesPerSecond:
        whole('ROOM_RELAY_ADDRESS_BYTES_PER_SECOND', 20_000_000, 0, 10_000_000_000, '0 = no limit') ||
        undefined,
      bytesPerSecond: whole('ROOM_RELAY_BYTES_PER_SECOND', 10_000_000, 10_000, 10_000_000_000, 'of one room'),
      totalBytesPerSecond:
        whole('ROOM_RELAY_TOTAL_BYTES_PER_SECOND', 0, 0, 100_000_000_000, '0 = no limit') || undefined,
    },
    quota: monthlyBytes === 0 ? undefined : { bytes: monthlyBytes, dataDir },
    password,
    certificate: certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile },
    acceptsOthers: read.flag('ROOM_RELAY_OTHER_NETWORKS', false),
    metricsPort: port('ROOM_RELAY_METRICS_PORT'),
    logLevel: read.logLevel(),
  }
  read.finish()
  if (password !== undefined && (config.ports.tcp ?? config.ports.udp) !== undefined) {
    throw new ConfigError([
      'ROOM_RELAY_PASSWORD is a path of the ws port: leave ROOM_RELAY_TCP_PORT and ROOM_RELAY_UDP_PORT unset, or set them to 0.',
    ])
  }
  if (Object.values(config.ports).every((one) => one === undefined)) {
    throw new ConfigError(['ROOM_RELAY_TCP_PORT, _UDP_PORT and _WS_PORT are all 0: one of them is needed.'])
  }
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new ConfigError(['ROOM_RELAY_TLS_CERT and ROOM_RELAY_TLS_KEY go together: set both, or none.'])
  }
  return config

  function port(name: string, fallback?: number): number | undefined {
    const allowed = `a port from 1 to 65535, 0 for none, or "any"; the default is ${fallback ?? 'none'}`
    const asked = read.parsed(name, allowed, (raw) => {
      if (raw.toLowerCase() === 'any') return 'any'
      return /^\d{1,5}$/.test(raw) && Number(raw) <= 65_535 ? Number(raw) : undefined
    })
    if (asked === 'any') return 0
    return asked === 0 ? undefined : (asked ?? fallback)
  }
}

function parseHost(raw: string): string | undefined {
  return parseIpv4(raw) !== undefined || parseIpv6(raw) !== undefined ? raw : undefined
}
