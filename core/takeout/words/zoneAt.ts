import type { Place } from '@lantern-room/formats'
import lookUp from '@photostructure/tz-lookup'

/**
 * The time zone of a place, as the IANA database calls it (docs/decisions.md, D199); at sea the one of its longitude.
 * @returns undefined of a place that is not on the earth
 * @example zoneAt({ latitude: 52.52, longitude: 13.405, altitude: undefined }) // 'Europe/Berlin'
 */
export function zoneAt({ latitude, longitude }: Place): string | undefined {
  try {
    return lookUp(latitude, longitude)
  } catch {
    return undefined
  }
}
