import { MOTION_PHOTO_PROFILES } from '#core/formats/profiles/profile'
import { MAX_SPEED, MIN_SPEED } from '#core/media/convert/clip'
import { OUTPUT_PROFILES } from '#core/media/convert/outputFiles'
import { EXTRACTS } from '#core/media/photos/extractFile'
import { renderHelp } from '../../commandLine/renderHelp'
import manual from './manual.json'

/** Values by the names of options; of a switch the empty text. */
export type Given = ReadonlyMap<keyof typeof manual.make.options, string>

/** The manual of the program, or of one of its commands; at most 80 columns wide. */
export function helpText(about: keyof typeof manual, version = ''): string {
  const { usage, options, notes, defaultColumn } = manual[about]
  const values = {
    version,
    minSpeed: MIN_SPEED,
    maxSpeed: MAX_SPEED,
    profiles: OUTPUT_PROFILES.join(', '),
    photoProfiles: MOTION_PHOTO_PROFILES.join(', '),
    extracts: EXTRACTS.join(', '),
  }
  const parts = [usage.join('\n'), options, notes.join('\n')]
  return renderHelp(parts, { textColumn: 22, defaultColumn, values })
}
