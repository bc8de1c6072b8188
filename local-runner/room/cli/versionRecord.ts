import { CONTRACT_VERSION } from '#core/build'
import { COMMAND_NAMES, commandOptions } from './commandOptions'

/** What `room --version --json` says, for launchers that choose between programs and versions. */
export type VersionRecord = {
  readonly name: 'room'
  readonly version: string
  /** Of the HTTP API and the feed, as in `/meta`. */
  readonly contractVersion: string
  /** Each command, and each option of one as `serve.port-file`. */
  readonly features: readonly string[]
  readonly platform: string
}

export function versionRecord(version: string, platform: string): VersionRecord {
  return {
    name: 'room',
    version,
    contractVersion: CONTRACT_VERSION,
    features: COMMAND_NAMES.flatMap((command) => [
      command,
      ...commandOptions(command).flatMap((options) =>
        Object.keys(options).map((option) => `${command}.${option}`),
      ),
    ]),
    platform,
  }
}
