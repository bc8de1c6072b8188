import type { Environment } from './environment'

const PROXY = 'serve wss from a reverse proxy before the ws port (docs/rooms.md, "Behind a reverse proxy")'

/** Settings of an earlier version, and what takes their place. */
const REMOVED: Readonly<Record<string, string>> = {
  ROOM_RELAY_MONTHLY_BYTES:
    'ROOM_RELAY_TOTAL_BYTES_PER_SECOND limits what all rooms relay, and a firewall can count it',
  ROOM_RELAY_ADDRESS_BYTES_PER_SECOND:
    'ROOM_RELAY_BYTES_PER_SECOND limits each room, and a firewall can limit addresses',
  ROOM_RELAY_PASSWORD: `${PROXY}, at a path that only you tell`,
  ROOM_RELAY_TLS_CERT: PROXY,
  ROOM_RELAY_TLS_KEY: PROXY,
  ROOM_RELAY_METRICS_PORT: 'the counters are in the log, every minute and at SIGUSR1',
  PREPARE_PROCESSES:
    'one process makes a preview, with a thread for each core; MAX_CONCURRENT_JOBS is how many run at once',
}

/** @returns a sentence for each setting here that no longer exists, with what to use instead */
export function removedSettings(env: Environment): readonly string[] {
  return Object.entries(REMOVED).flatMap(([setting, instead]) =>
    env[setting]?.trim() ? [`${setting} no longer exists: ${instead}.`] : [],
  )
}
