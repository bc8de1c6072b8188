import type { Environment } from './environment'

/** A setting or option of an earlier version, and what takes its place. */
type Removed = {
  readonly setting?: string
  /** The option of a command line without its dashes. */
  readonly option?: string
  readonly instead: string
}

const PROXY = 'serve wss from a reverse proxy before the ws port (docs/rooms.md, "Behind a reverse proxy")'
const LOGGED = 'the counters are in the log, every minute and at SIGUSR1'

const REMOVED: readonly Removed[] = [
  {
    setting: 'ROOM_RELAY_MONTHLY_BYTES',
    option: 'monthly-bytes',
    instead: 'ROOM_RELAY_TOTAL_BYTES_PER_SECOND limits what all rooms relay, and a firewall can count it',
  },
  {
    setting: 'ROOM_RELAY_ADDRESS_BYTES_PER_SECOND',
    option: 'address-bytes-per-second',
    instead: 'ROOM_RELAY_BYTES_PER_SECOND limits each room, and a firewall can limit addresses',
  },
  { setting: 'ROOM_RELAY_PASSWORD', option: 'password', instead: `${PROXY}, at a path that only you tell` },
  { setting: 'ROOM_RELAY_TLS_CERT', option: 'tls-cert', instead: PROXY },
  { setting: 'ROOM_RELAY_TLS_KEY', option: 'tls-key', instead: PROXY },
  { setting: 'ROOM_RELAY_METRICS_PORT', option: 'metrics-port', instead: LOGGED },
  {
    setting: 'PREPARE_PROCESSES',
    instead:
      'one process makes a preview, with a thread for each core; MAX_CONCURRENT_JOBS is how many run at once',
  },
  { option: 'data-dir', instead: 'a relay writes no files' },
]

/** @returns a sentence for each setting here that no longer exists, with what to use instead */
export function removedSettings(env: Environment): readonly string[] {
  return REMOVED.flatMap(({ setting, instead }) =>
    setting !== undefined && env[setting]?.trim() ? [`${setting} no longer exists: ${instead}.`] : [],
  )
}

/** @returns the sentence for an option that no longer exists; undefined for one that never did */
export function removedOption(name: string): string | undefined {
  const removed = REMOVED.find(({ option }) => option === name)
  return removed && `--${name} no longer exists: ${removed.instead}.`
}
