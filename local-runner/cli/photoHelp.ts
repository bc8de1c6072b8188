import { renderHelp } from '../commandLine/renderHelp'
import { PHOTO_OPTIONS, type PhotoCommandName } from './photoCommand'

const USAGES: Readonly<Record<PhotoCommandName, string>> = {
  inspect: `motion-photo inspect: says which galleries recognise a photo, and why not

  motion-photo inspect [--json] FILE...`,
  extract: `motion-photo extract: takes picture, video or animation out of a photo

  motion-photo extract [options] FILE`,
  repair: `motion-photo repair: mends a motion photo or a Live Photo

  motion-photo repair [options] FILE    writes FILE_repaired_MP.jpg beside FILE

  A Live Photo is a ZIP, or a bundle (.pvt), and stays one: FILE_repaired.zip`,
}

/** The help of a command that takes a motion photo. */
export function photoHelp(command: PhotoCommandName): string {
  return renderHelp([USAGES[command], PHOTO_OPTIONS[command]], { textColumn: 22, defaultColumn: 60 })
}
